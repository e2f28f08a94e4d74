"""Repeated columns: ``[Forge a = -rw-r--r-- 1 root root * Nov 15 00:24 *]``, and rows such as ``a 292 a.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .error import Unreadable
from .text import Writer, end_at, whole_lines
from .time import timestamp

_HEADER = '[Forge patterns: a line "a x y" is pattern a with x and y for its stars]\n'
_PATTERN = re.compile(r"\[Forge ([a-z]) = (.+)\]", re.DOTALL)
_BLANKS = re.compile(r"[ \t]*")
_WORD = re.compile(r"[^ \t]*")

Pattern = list["str | None"]
"""The columns of a kind of row; ``None`` is a star."""


def is_written(text: str) -> bool:
    return text.startswith(_HEADER)


def decode(text: str, max_output: int) -> str:
    out = Writer(max_output)
    patterns: dict[str, Pattern] = {}
    in_patterns = True
    for line, end in whole_lines(text[len(_HEADER) :]):
        defined = _PATTERN.fullmatch(line) if in_patterns else None
        if defined:
            columns = [None if field in ("*", " *") else field for field in _fields(defined[2], len(line))]
            patterns.setdefault(defined[1], columns)
            continue
        in_patterns = False
        pattern = patterns.get(line[:1]) if line[1:2] in ("", " ", "\t") else None
        out.write((line if pattern is None else _row(pattern, line[1:])) + end)
    return out.text()


def _row(pattern: Pattern, own: str) -> str:
    """The row that has ``own`` in the place of the stars."""
    if pattern[0] is None:
        # A first column has no blank of its own that would part it from the letter.
        if not own.startswith(" "):
            raise Unreadable
        own = own[1:]
    fields = _fields(own, pattern.count(None))
    row: list[str] = []
    for column in pattern:
        field = next(fields, None) if column is None else column
        if field is None:
            raise Unreadable
        row.append(field)
    return "".join(row)


def _fields(line: str, most: int) -> Iterator[str]:
    """The first ``most`` columns of a line, each with the blanks before it; the last takes the rest of the line."""
    at = 0
    while at < len(line) and most > 0:
        most -= 1
        end = _word_end(line, end_at(_BLANKS, line, at)) if most else len(line)
        yield line[at:end]
        at = end


def _word_end(line: str, at: int) -> int:
    """Where the word at an offset ends. A time with its date is one."""
    time = timestamp(line, at)
    return time if time is not None and line[time : time + 1] in ("", " ", "\t") else end_at(_WORD, line, at)
