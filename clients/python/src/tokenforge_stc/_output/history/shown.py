"""Results that the model saw, their lines, and what it would call them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Optional

from .. import fold, numbers, reference
from ..text import SIGNATURE
from . import marker
from .marker import Pointer
from .name import CallName, Kind
from .numbering import Numbering

_REMARKS = ("[Forge left out ", "[Forge shortened ", "[Forge removed base64: ")


class Shown:
    """A text that was shown."""

    def __init__(self, text: str, kind: Kind) -> None:
        self.text = text
        self.kind = kind

    @cached_property
    def lines(self) -> list[tuple[str, Optional[int]]]:
        """The lines that can be pointed to, without the numbers before them, and those numbers."""
        body = reference.without(self.text).split("\n")
        numbering = Numbering()
        lines: list[tuple[str, Optional[int]]] = []
        # Behind a pointer in a column the lines that follow are not counted on.
        is_lost = False
        for at, line in enumerate(body):
            number = None if line.startswith(numbers.SIGNATURE) else numbering.next_number()
            is_lost = number is not None and (is_lost or line.startswith(SIGNATURE))
            bare = numbering.read(line, body[at + 1] if at + 1 < len(body) else None)
            lines.append((bare, None if is_lost else number))
        is_numbered = any(number is not None for _, number in lines)
        # In a notation lines mean nothing without its legend; elsewhere than in a file numbers are data.
        if any(map(_is_notation, body)) or (is_numbered and self.kind != "file"):
            return []
        return lines

    @cached_property
    def by_number(self) -> dict[int, int]:
        places: dict[int, int] = {}
        for at, (_, number) in enumerate(self.lines):
            if number is not None:
                places.setdefault(number, at)
        return places

    @cached_property
    def by_quote(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for at, (line, _) in enumerate(self.lines):
            quoted = marker.quote(line)
            if quoted is not None:
                places.setdefault(quoted, at)
        return places

    def meant(self, pointer: Pointer) -> list[str] | None:
        """The lines that a pointer leads to."""
        if pointer.numbers:
            first, last = pointer.numbers
            start, count = self.by_number.get(first), last - first + 1
        else:
            start, count = self.by_quote.get(pointer.first), pointer.lines
        if start is None or not 0 < count <= len(self.lines) - start:
            return None
        line, number = self.lines[start + count - 1]
        is_there = number == pointer.numbers[1] if pointer.numbers else marker.quote(line) == pointer.last
        return [line for line, _ in self.lines[start : start + count]] if is_there else None


def _is_notation(line: str) -> bool:
    """Does a line of ours say that the lines around it are to be read in another way?"""
    return (
        line.startswith(SIGNATURE)
        and not line.startswith((numbers.SIGNATURE, marker.OPENING, *_REMARKS))
        and not fold.is_note(line)
    )


@dataclass
class Namesakes:
    """The results of one name."""

    name: CallName
    is_ambiguous: bool = False
    runs: list[Optional[Shown]] = field(default_factory=list)
    """In their order; ``None`` for those that cannot be pointed to."""
    latest: Optional[Shown] = None
    """The latest one that is not wholly a pointer."""


class Index:
    """Texts that were shown, by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Namesakes] = {}

    def add(self, name: CallName, text: str) -> None:
        is_duplicate = marker.duplicated(reference.without(text)) is not None
        shown = None if is_duplicate else Shown(text, name.kind)
        namesakes = self._by_name.setdefault(name.text, Namesakes(name))
        # A tool's name and first argument must be unique; a file is the file, whoever read it; a command may have been cut.
        namesakes.is_ambiguous |= (
            name.kind != namesakes.name.kind
            or (name.kind == "command" and name.asked != namesakes.name.asked)
            or (name.kind in ("tool", "argument") and bool(namesakes.runs))
        )
        namesakes.runs.append(shown)
        if shown:
            namesakes.latest = shown

    def named(self, name: str, is_quoted: bool) -> Shown | None:
        """The text of a name; commands may be quoted."""
        bare, run = marker.split_run(name)
        found = self._find(bare, is_quoted) or self._find(name, is_quoted)
        if not found:
            return None
        if found.name.kind != "command":
            return found.latest
        at = 0 if run is None else run - 1
        return found.runs[at] if 0 <= at < len(found.runs) else None

    def _find(self, name: str, is_quoted: bool) -> Namesakes | None:
        is_command = is_quoted and len(name) > 1 and name[0] == name[-1] == "`"
        found = self._by_name.get(name[1:-1] if is_command else name)
        if not found or found.is_ambiguous or (is_command and found.name.kind != "command"):
            return None
        return found
