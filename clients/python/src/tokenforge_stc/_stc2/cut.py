"""Where a string may be cut: never inside a word, name, number or timestamp (``spec/stc2.md``, "Cuts")."""

from __future__ import annotations

import re

_WORD = rb"[A-Za-z0-9\x80-\xff]"
_JOINER = rb"(?:[_\-.:@+%~]|(?<=[A-Za-z0-9\x80-\xff])'(?=[A-Za-z0-9\x80-\xff]))"
_GAP = rb"[ ,/()_\-.:@+%~]{0,3}"

_is_word = re.compile(_WORD).match
_is_joiner = re.compile(_JOINER).match
_gap = re.compile(_GAP).match
_word = re.compile(_WORD + rb"*").match

_MONTHS = b"january february march april may june july august september october november december".split()
_WEEKDAYS = b"monday tuesday wednesday thursday friday saturday sunday".split()
_TIME_WORDS = frozenset([*_MONTHS, *_WEEKDAYS, *(name[:3] for name in _MONTHS + _WEEKDAYS), b"gmt", b"utc", b"am", b"pm"])


def may_cut(text: bytes, at: int) -> bool:
    """May what stands before this place in a text, and what stands behind it, be written in two places?

    >>> may_cut(b"a/b", 1), may_cut(b"a-b", 1), may_cut(b"4 Dec", 1), may_cut(b"4 of", 1)
    (True, False, False, True)
    """
    return at <= 0 or at >= len(text) or not (_is_in_name(text, at) or _is_between_time_parts(text, at))


def _is_name(text: bytes, at: int) -> bool:
    return _is_word(text, at) is not None or _is_joiner(text, at) is not None


def _is_in_name(text: bytes, at: int) -> bool:
    """Does a name go on from one side to the other? A sign that no name follows ends none."""
    if not (_is_name(text, at - 1) and _is_name(text, at)):
        return False
    return _is_word(text, at) is not None or _is_joiner(text, at - 1) is not None or _is_name(text, at + 1)


def _is_between_time_parts(text: bytes, at: int) -> bool:
    """Are the words on both sides parts of one timestamp or number?"""
    end = at
    while end > 0 and at - end < 3 and _gap(text, end - 1, end).end() == end:  # type: ignore[union-attr]
        end -= 1
    start = end
    while start > 0 and _is_word(text, start - 1):
        start -= 1
    behind = _gap(text, at).end()  # type: ignore[union-attr]
    return _is_time_part(text[start:end]) and _is_time_part(_word(text, behind).group())  # type: ignore[union-attr]


def _is_time_part(word: bytes) -> bool:
    return word[:1].isdigit() or word.lower() in _TIME_WORDS
