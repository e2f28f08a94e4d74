"""The structural cost: about how many tokens a text is, without a tokenizer, so that all encoders agree."""

from __future__ import annotations

import re

_RUNS = re.compile(rb"([A-Za-z\x80-\xff]+)|([0-9]+)|( +)(?=([A-Za-z\x80-\xff])?)|[^A-Za-z0-9 \x80-\xff]+").finditer
_WORD = re.compile(rb"[A-Za-z0-9\x80-\xff]").match
_LETTER = re.compile(rb"[A-Za-z\x80-\xff]").match


def cost(text: bytes) -> int:
    """Words cost one per eight letters begun, numbers one per three digits begun, other bytes one per two begun; a
    single space before a word is free.

    >>> cost(b"word"), cost(b"1234"), cost(b"a b"), cost(b"https://x.y/")
    (1, 2, 2, 7)
    """
    total = 0
    for run in _RUNS(text):
        length, group = run.end() - run.start(), run.lastindex
        if group == 1:
            total += (length + 7) // 8
        elif group == 2:
            total += (length + 2) // 3
        elif group is None:
            total += (length + 1) // 2
        elif length > 1 or group == 3:
            total += 1
    return total


def cost_behind_space(text: bytes) -> int:
    """The cost of a text behind a space."""
    return cost(text) + (_LETTER(text) is None)


def word_follows(text: bytes, at: int) -> bool:
    """Is the byte at this place part of a word? Those of characters outside ASCII are."""
    return _WORD(text, at) is not None
