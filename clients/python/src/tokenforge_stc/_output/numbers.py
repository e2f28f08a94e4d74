"""Thinned number columns: ``[Forge lines 1-46, every 10th numbered]``, then the lines, the first with its column."""

from __future__ import annotations

import re
from typing import NamedTuple

from .error import Unreadable
from .text import Writer, whole_lines

SIGNATURE = "[Forge lines "

_ANNOUNCED = re.compile(r"([0-9]{1,10})-([0-9]{1,10}), every 10th numbered(?: as N(.+)text)?\]", re.DOTALL)
_COLUMN = re.compile(r"( *)([0-9]{1,9})(→|\t|\|| \||:|  )")
_WIDEST = 9


class Run(NamedTuple):
    """Lines that are numbered one after another, and how."""

    first: int
    last: int
    width: int
    padding: str
    separator: str

    @classmethod
    def announced(cls, announcement: str, first_line: str) -> Run | None:
        """The run that an announcement and the line after it describe."""
        found = _ANNOUNCED.fullmatch(announcement, len(SIGNATURE))
        column = _COLUMN.match(first_line)
        if not found or not column:
            return None
        first, last, text = int(found[1]), int(found[2]), found[3]
        blanks, digits, separator = column[1], column[2], column[3]
        width = len(blanks) + len(digits)
        if int(digits) != first or width > _WIDEST or (text is not None and text != separator):
            return None
        # A blank behind the separator is part of it, unless the announcement says that it is text.
        if text is None and separator[-1] in ":|" and first_line.startswith(" ", column.end()):
            separator += " "
        padding = "0" if not blanks and len(digits) > 1 and digits[0] == "0" else " "
        return cls(first, last, width, padding, separator)

    def column(self, number: int) -> str:
        """What the text had before the line of this number."""
        return str(number).rjust(self.width, self.padding) + self.separator

    def shown(self, number: int) -> str:
        """What the thinned text has there."""
        if number == self.first:
            return self.column(number)
        return f"{number}{self.separator}" if number % 10 == 0 else ""


def is_written(text: str) -> bool:
    return text.startswith(SIGNATURE) or f"\n{SIGNATURE}" in text


def decode(text: str, max_output: int) -> str:
    given = list(whole_lines(text))
    out = Writer(max_output)
    at = 0
    while at < len(given):
        line, end = given[at]
        at += 1
        if not line.startswith(SIGNATURE):
            out.write(line + end)
            continue
        run = Run.announced(line, given[at][0]) if at < len(given) else None
        if run is None or not run.first <= run.last < run.first + len(given) - at:
            raise Unreadable
        out.write("".join(given[at]))
        for number in range(run.first + 1, run.last + 1):
            at += 1
            line, end = given[at]
            shown = run.shown(number)
            if not line.startswith(shown):
                raise Unreadable
            out.write(run.column(number) + line[len(shown) :] + end)
        at += 1
    return out.text()
