"""Folded lines: ``[Forge the 2 lines above 3 more times]``, ``[Forge 5 lines again from: NAME]``."""

from __future__ import annotations

import re

from .error import TooLarge, Unreadable
from .text import SIGNATURE, first_bytes, whole_lines

_ABOVE = re.compile(
    r"\[Forge the (?:line|([1-9][0-9]{0,18}) lines) above (?:once more|([1-9][0-9]{0,18}) more times)\]"
)
_AGAIN = re.compile(r"\[Forge ([1-9][0-9]{0,18}) lines again from: (.*)\]")
_LONGEST_NAME = 48
_MOST_LINES = 1 << 21
"""More lines than this are no output anyone reads."""


def is_note(line: str) -> bool:
    """Does a line stand for others that are shown above it?"""
    return bool(_ABOVE.fullmatch(line) or _AGAIN.fullmatch(line))


def is_written(text: str) -> bool:
    return SIGNATURE in text and any(is_note(line) for line in text.split("\n"))


def decode(text: str, max_output: int) -> str:
    lines: list[str] = []
    firsts: dict[str, int] = {}
    size = 0
    for line, _ in whole_lines(text):
        if above := _ABOVE.fullmatch(line):
            count, times = int(above[1] or 1), int(above[2] or 1)
            block = lines[len(lines) - count :] if count <= len(lines) else []
        elif again := _AGAIN.fullmatch(line):
            count, times = int(again[1]), 1
            first = firsts.get(again[2], len(lines))
            block = lines[first : first + count]
        else:
            firsts.setdefault(_name(line), len(lines))
            count, times, block = 1, 1, [line]
        if len(block) != count:
            raise Unreadable
        size += times * sum(len(one) + 1 for one in block)
        if size > max_output + 1 or (times * count > 1 and len(lines) + times * count > _MOST_LINES):
            raise TooLarge
        lines += block * times
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _name(line: str) -> str:
    """A line is known by its first bytes."""
    return first_bytes(line.rstrip("\r"), _LONGEST_NAME)
