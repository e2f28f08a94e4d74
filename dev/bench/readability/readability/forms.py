"""A document in every form."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable

from tokenforge_stc import encode_stc, encode_stc2

from . import candidates

Form = Callable[[str], str]
_FILES_AT_ONCE = 500  # a command line has an end


def toon(text: str) -> str:
    return tokenforge(["encode", "--to", "toon"], text)


FORMS: dict[str, Form] = {
    "json": lambda text: text,
    "toon": toon,
    "stc1": lambda text: encode_stc(text, spelling="dense"),
    "stc1-flat": lambda text: tokenforge(["encode", "--to", "stc", "--spelling", "flat"], text),
    "stc2-1": lambda text: encode_stc2(text, level=1),
    "stc2-2": lambda text: encode_stc2(text, level=2),
    "stc2-3": lambda text: encode_stc2(text, level=3),
}
"""JSON is minified, as a program would send it."""

CANDIDATES: dict[str, Form] = {
    "json-lines": candidates.rows_on_lines,
    "json-rows": lambda text: candidates.rows_on_lines(text, numbered=True),
    "stc2-2-rows": candidates.stc2_with_row_numbers,
    "quoted": candidates.quoted_rows,
    "quoted-rows": lambda text: candidates.quoted_rows(text, numbered=True),
    "table": lambda text: tokenforge(["encode", "--to", "table"], text),
}
"""What might become one; `table` is one already."""

ALL = {**FORMS, **CANDIDATES}


def minified(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def written(name: str, text: str) -> str:
    """A document in a form; minified JSON where the form cannot hold it, as a gateway would send it."""
    try:
        return ALL[name](text)
    except Refused:
        return text


def tokens(texts: list[str]) -> int:
    """The o200k tokens of all texts together."""
    return sum(each_token(texts))


def each_token(texts: list[str]) -> list[int]:
    """The o200k tokens of each text."""
    found: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, str(index)) for index in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text, encoding="utf-8")
        for start in range(0, len(files), _FILES_AT_ONCE):
            counted = json.loads(tokenforge(["tokens", "--json", *map(str, files[start : start + _FILES_AT_ONCE])], ""))
            found += [int(each["tokens"]) for each in counted["files"]]
    return found


class Refused(Exception):
    """The program could not do it, and said why."""


def tokenforge(arguments: list[str], text: str) -> str:
    program = os.environ.get("TOKENFORGE", "tokenforge")
    try:
        done = subprocess.run([program, *arguments], input=text.encode(), capture_output=True)
    except FileNotFoundError:
        raise SystemExit(f"{program} is not there: cargo build -p tokenforge, or name it in TOKENFORGE") from None
    if done.returncode:
        raise Refused(done.stderr.decode().strip())
    return done.stdout.decode().removesuffix("\n")
