"""A document in every form."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable

from tokenforge_stc import encode_stc, encode_stc2

Form = Callable[[str], str]


def toon(text: str) -> str:
    return tokenforge(["encode", "--to", "toon"], text)


FORMS: dict[str, Form] = {
    "json": lambda text: text,
    "toon": toon,
    "stc1": lambda text: encode_stc(text, spelling="dense"),
    "stc2-1": lambda text: encode_stc2(text, level=1),
    "stc2-2": lambda text: encode_stc2(text, level=2),
    "stc2-3": lambda text: encode_stc2(text, level=3),
}
"""JSON is minified, as a program would send it."""


def minified(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tokens(texts: list[str]) -> int:
    """The o200k tokens of all texts together."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, str(index)) for index in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text, encoding="utf-8")
        counted = tokenforge(["tokens", "--json", *map(str, files)], "")
    return int(json.loads(counted)["total"])


def tokenforge(arguments: list[str], text: str) -> str:
    program = os.environ.get("TOKENFORGE", "tokenforge")
    try:
        done = subprocess.run([program, *arguments], input=text.encode(), stdout=subprocess.PIPE, check=True)
    except FileNotFoundError:
        raise SystemExit(f"{program} is not there: cargo build -p tokenforge, or name it in TOKENFORGE") from None
    return done.stdout.decode().removesuffix("\n")
