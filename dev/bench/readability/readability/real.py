"""Real outputs: recorded, with questions whose answers follow from them, in every form and behind every stage.

What cannot take a form is not asked about in it, so each form is compared with the original over the outputs that have both.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Callable, Iterator, Optional

from readers import corpus, json_questions, scoring, text_questions

from . import candidates, forms

SAMPLES = Path(__file__).resolve().parents[4] / "dev" / "samples" / "outputs"
SIZES = range(600, 20_000)
ORIGINAL = "original"
_NUMBERED = re.compile(r"\s*\d+[\t→:|]")


@dataclass(frozen=True)
class Output:
    """A recorded output, and the call that printed it."""

    name: str
    tool: str
    command: str
    text: str

    @property
    def kind(self) -> str:
        """`json`, `numbered` or `text`."""
        try:
            if isinstance(json.loads(self.text), (dict, list)):
                return "json"
        except (ValueError, RecursionError):
            pass
        lines = [line for line in self.text.split("\n") if line.strip()]
        return "numbered" if lines and sum(bool(_NUMBERED.match(line)) for line in lines) > 0.9 * len(lines) else "text"


def outputs(folder: Path) -> Iterator[Output]:
    """Outputs of a corpus (`outputs/KIND/*.jsonl`), or of a folder with an `index.toml` such as dev/samples/outputs."""
    if (folder / "outputs").is_dir():
        for each in corpus.outputs(folder):
            yield Output(each.name, each.call.tool, str(each.call.arguments.get("command", "")), each.call.original)
        return
    index = (folder / "index.toml").read_text(encoding="utf-8")
    for entry in index.split("[[output]]")[1:]:
        fields = {key: json.loads(value) for key, value in re.findall(r'^(\w+) = (".*")$', entry, re.MULTILINE)}
        file = folder / fields["file"]
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        yield Output(file.stem, fields.get("tool", "Bash"), fields.get("command", ""), text)


@dataclass(frozen=True)
class Asked:
    """A question about a real output."""

    document: int
    kind: str
    text: str
    answer: Any
    compare: str

    def is_right(self, answer: str) -> bool:
        return bool(scoring.is_right(answer, self.answer, self.compare))


@dataclass(frozen=True)
class Document:
    """An output in all its forms, and questions about it."""

    output: Output
    forms: dict[str, str]
    questions: list[Asked]

    @property
    def group(self) -> str:
        """What is read in one way: rows can be counted and numbered, other JSON cannot, and text has other forms."""
        if self.output.kind != "json":
            return "text"
        return "JSON with rows" if candidates.has_rows(json.loads(self.output.text)) else "other JSON"


def documents(folder: Path, count: int, seed: int, names: Optional[list[str]] = None, wanted: int = 3) -> list[Document]:
    """So many outputs, drawn by a seed, in turns of each kind."""
    dice = Random(f"real {seed}")
    by_kind: dict[str, list[Output]] = {"json": [], "numbered": [], "text": []}
    for output in outputs(folder):
        if len(output.text) in SIZES:
            by_kind[output.kind].append(output)
    for found in by_kind.values():
        dice.shuffle(found)
    drawn: list[Document] = []
    while len(drawn) < count and any(by_kind.values()):
        for found in by_kind.values():
            if found and len(drawn) < count:
                output = found.pop()
                asked = questions(output, len(drawn), dice, wanted)
                written = in_every_form(output, names) if len(asked) >= 2 else {}
                if len(written) > 1:
                    drawn.append(Document(output, written, asked))
    return drawn


def questions(output: Output, document: int, dice: Random, wanted: int = 3) -> list[Asked]:
    maker = json_questions if output.kind == "json" else text_questions
    return [Asked(document, each.kind, each.text, each.answer, each.compare) for each in maker.questions(output.text, output.text, dice, wanted)]


def in_every_form(output: Output, names: Optional[list[str]] = None) -> dict[str, str]:
    """The original, and each form that makes another text of it, and another than minified JSON: without rows there are none to number."""
    found = {ORIGINAL: output.text}
    for name, write in writers(output).items():
        if names is None or name in names:
            text = write()
            if text is not None and text.strip() not in (output.text.strip(), found.get("json")):
                found[name] = text
    return found


def writers(output: Output) -> "dict[str, Callable[[], Optional[str]]]":
    engine: dict[str, Callable[[], Optional[str]]] = {"lossless": lambda: compressed(output, "lossless", [])}
    if output.kind == "json":
        return {**{name: lambda write=write: written(write, output.text) for name, write in forms.ALL.items()}, **engine}
    for stage in text_stages():
        mode = "aggressive" if stage == "dictionary" else "lossless"
        engine[f"stage:{stage}"] = lambda stage=stage, mode=mode: compressed(output, mode, [other for other in stages() if other != stage])
    if output.kind == "numbered":
        for every in (2, 3, 5, 10):
            engine[f"numbers-{every}"] = lambda every=every: candidates.anchors(output.text, every)
    return engine


def written(write: forms.Form, text: str) -> Optional[str]:
    try:
        return write(candidates.minified(json.loads(text)))
    except (ValueError, forms.Refused):
        return None  # a form that cannot hold this value


def compressed(output: Output, mode: str, without: list[str]) -> str:
    skipped = [argument for stage in without for argument in ("--without", stage)]
    command = ["--command", output.command] if output.command else []
    return forms.tokenforge(["compress", "--mode", mode, "--keep-secrets", "--tool", output.tool, *command, *skipped], output.text)


def text_stages() -> list[str]:
    """Those that write something for a model to read: a notation, a head, fewer numbers."""
    return [stage for stage in stages() if stage in
            ("path_headings", "repeated_columns", "log_templates", "dictionary", "repeated_lines", "line_numbers", "diff_headers", "csv_rows", "embedded_json")]


def stages() -> list[str]:
    """The stages, as the program lists them."""
    if not _STAGES:
        said = subprocess.run([os.environ.get("TOKENFORGE", "tokenforge"), "compress", "--without", "?"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        _STAGES.extend(re.search(r"possible values: ([\w, ]+)", said.stderr.replace("\n", " "))[1].replace(" ", "").split(","))
    return _STAGES


_STAGES: list[str] = []
