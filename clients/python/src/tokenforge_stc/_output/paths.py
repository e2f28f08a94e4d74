"""Path headings: lines in groups under what they share, as ``rg --heading`` prints them."""

from __future__ import annotations

import re
from typing import Callable

from .error import Unreadable
from .text import Writer, whole_lines

_END = "[Forge end of groups]"
_ROOT = "./"
"""The heading of lines that share nothing with each other."""
_NUMBERED = re.compile(r"[0-9]+([:-])")
_CHECKSUM = re.compile(r"[0-9A-Fa-f]{32,}")

Layout = Callable[[str, str], str]
"""How a heading and a line under it make up the original line."""


def is_written(text: str) -> bool:
    return "[Forge " in text and any(line in _LAYOUTS for line in text.split("\n"))


def decode(text: str, max_output: int) -> str:
    out = Writer(max_output)
    layout: Layout | None = None
    heading: str | None = None
    for line, end in whole_lines(text):
        if layout is None:
            if line == _END:
                raise Unreadable
            layout, heading = _LAYOUTS.get(line), None
            if layout is None:
                out.write(line + end)
        elif line == _END:
            layout = None
        elif heading is None:
            if not line:
                raise Unreadable
            heading = "" if line == _ROOT else line
        elif not line:
            heading = None
        else:
            out.write(layout(heading, line) + end)
    return out.text()


def _name(heading: str, row: str) -> str:
    return heading + row


def _column(heading: str, row: str) -> str:
    at = _last_column(row)
    return row[:at] + heading + row[at:]


def _match(heading: str, row: str) -> str:
    # What searches print between parts that are not adjacent.
    if row.rstrip("\r") == "--":
        return row
    delimiter = _NUMBERED.match(row)
    if not delimiter:
        raise Unreadable
    return heading + delimiter[1] + row


_LAYOUTS: dict[str, Layout] = {
    "[Forge paths: a group's first line goes before each line under it]": _name,
    "[Forge paths: a group's first line goes before the last column of each line under it]": _column,
    "[Forge matches: a group's first line is the file of the lines under it]": _match,
}


def _last_column(line: str) -> int:
    """Behind the last tab; else, in a list of sizes, counts or checksums, behind the first blanks, so that names may
    hold spaces; else behind the last blank."""
    tab = line.rfind("\t")
    if tab >= 0:
        return tab + 1
    start = len(line) - len(line.lstrip(" "))
    first = line[start:].split(" ", 1)[0]
    if "0" <= first[:1] <= "9" or _CHECKSUM.fullmatch(first):
        end = start + len(first)
        return len(line) - len(line[end:].lstrip(" "))
    return line.rfind(" ") + 1
