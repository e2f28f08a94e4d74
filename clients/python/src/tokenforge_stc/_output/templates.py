"""Log templates: ``A= ...`` is a line with stars for what varies, and the rows below it give only those values."""

from __future__ import annotations

import re
from typing import NamedTuple

from .error import Unreadable
from .text import Writer, whole_lines
from .time import timestamp

SIGNATURE = "[Forge templates: "

_LEGEND = re.compile(
    r'\[Forge templates: "A= \.\.\." is a line with (\*|<\*>|\{\}|…) for what varies, rows below it give only those values; '
    r'"A \.\.\." is a row of A again, "= \.\.\." begins plain lines(?:; ([~^"…]) as above)?(?:; ([→⇥⟶])9 fills up to column 9)?\]'
)
_DEFINED = re.compile(r"([A-Z]{1,2})= (.*)", re.DOTALL)
_NAMED = re.compile(r"([A-Z]{1,2})(?: |$)")
_LITERAL = "= "
_COLUMN = re.compile(r"[0-9]{1,4}(?![0-9])")
_MAX_COLUMN = 1024
"""No blank beyond this many bytes of a line reaches up to a column."""


class Constant(NamedTuple):
    """Text of a template between two values."""

    text: str
    filled: list[tuple[int, str]]
    """Columns up to which blanks reach, and the text behind each."""


def is_written(text: str) -> bool:
    return text.startswith(SIGNATURE)


def decode(text: str, max_output: int) -> str:
    legend, _, body = text.partition("\n")
    signs = _LEGEND.fullmatch(legend)
    if not signs or len(legend) == len(text):
        raise Unreadable
    reader = _Reader(signs[1], signs[2], signs[3])
    out = Writer(max_output)
    for line, end in whole_lines(body):
        restored = reader.line(line)
        if restored is not None:
            out.write(restored + end)
    return out.text()


class _Reader:
    def __init__(self, hole: str, ditto: str | None, blank: str | None) -> None:
        self.hole, self.ditto, self.blank = hole, ditto, blank
        self.templates: list[list[Constant]] = []
        self.current: int | None = None
        self.above: list[str] = []

    def line(self, line: str) -> str | None:
        """What a line stands for; a definition stands for none, unless it is itself the line."""
        known = len(self.templates)
        defined = _DEFINED.fullmatch(line)
        named = _NAMED.match(line)
        if defined and _number(defined[1]) == known:
            template = [self.constant(text) for text in defined[2].split(self.hole)]
            self.templates.append(template)
            self.current = known
            return self.row(known, "", 0) if len(template) == 1 else None
        if line.startswith(_LITERAL):
            self.current = None
            return line[len(_LITERAL) :]
        if named and _number(named[1]) < known:
            self.current = _number(named[1])
            return self.row(self.current, line, named.end())
        return line if self.current is None else self.row(self.current, line, 0)

    def constant(self, text: str) -> Constant:
        first, *others = text.split(self.blank) if self.blank else [text]
        filled: list[tuple[int, str]] = []
        for piece in others:
            column = _COLUMN.match(piece)
            if not column or int(column[0]) > _MAX_COLUMN:
                raise Unreadable
            filled.append((int(column[0]), piece[column.end() :]))
        return Constant(first, filled)

    def row(self, number: int, line: str, at: int) -> str:
        """The line whose values begin at an offset of a row."""
        first, *others = self.templates[number]
        pieces: list[str] = []
        values: list[str] = []
        self.fill(first, pieces)
        for column, constant in enumerate(others):
            cell_end = len(line) if column + 1 == len(others) else _cell_end(line, at)
            value, at = line[at:cell_end], cell_end + 1
            if value == self.ditto:
                if column >= len(self.above):
                    raise Unreadable
                value = self.above[column]
            pieces.append(value)
            values.append(value)
            self.fill(constant, pieces)
        self.above = values or self.above
        return "".join(pieces)

    @staticmethod
    def fill(constant: Constant, pieces: list[str]) -> None:
        """Adds a constant to the pieces of a line, with its blanks filled."""
        pieces.append(constant.text)
        for column, text in constant.filled:
            before = "".join(pieces)
            if len(before.encode()) >= _MAX_COLUMN:
                raise Unreadable
            pieces[:] = [before, " " * max(column - len(before), 1), text]


def _cell_end(line: str, at: int) -> int:
    """Where the value ends that begins at an offset. Of all values only times contain blanks."""
    time = timestamp(line, at)
    end = time if time is not None and line.startswith(" ", time) else line.find(" ", at)
    if end < 0:
        raise Unreadable
    return end


def _number(name: str) -> int:
    """Templates are called ``A`` to ``Z``, then ``AA`` to ``ZZ``."""
    digits = [ord(letter) - ord("A") for letter in name]
    return digits[0] if len(digits) == 1 else 26 + digits[0] * 26 + digits[1]
