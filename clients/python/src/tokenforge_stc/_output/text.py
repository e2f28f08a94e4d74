"""Texts in lines and bytes, as the notations count them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .error import TooLarge

SIGNATURE = "[Forge "
"""What lines of ours begin with."""

WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""The white space of Unicode; ``str.strip`` would take four separators with it."""


def whole_lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines of a text, each with what ends it: nothing, for a last one. A carriage return is part of its line."""
    *lines, last = text.split("\n")
    for line in lines:
        yield line, "\n"
    if last:
        yield last, ""


def first_bytes(text: str, most: int) -> str:
    """As much of a text as has no more than so many bytes of UTF-8."""
    return text[:most].encode()[:most].decode(errors="ignore")


def end_at(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The offset behind what an expression matches at another."""
    found = pattern.match(text, at)
    return found.end() if found else at


def end_of(text: str, end: int) -> int:
    """Where a text up to an offset ends, but for white space. Nothing is copied, however often it is asked."""
    while end and text[end - 1] in WHITE:
        end -= 1
    return end


class Writer:
    """A text that is written in pieces, and never more of it than is allowed."""

    def __init__(self, max_output: int) -> None:
        self._pieces: list[str] = []
        self._left = max_output

    def write(self, piece: str) -> None:
        # Characters are no more than bytes; those are counted at the end, once.
        self._left -= len(piece)
        if self._left < 0:
            raise TooLarge
        self._pieces.append(piece)

    def text(self) -> str:
        return "".join(self._pieces)
