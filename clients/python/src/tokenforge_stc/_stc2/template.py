"""Columns whose cells follow from something: a run of numbers, a common prefix or suffix, another column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .._json import Node
from .cost import cost, word_follows
from .cut import may_cut
from .lexeme import is_ident, is_number

_MAX_SOURCES = 16
"""So many earlier columns are looked at for one that a column could be derived from."""

_MIN_SOURCE = 3
"""A source shorter than this is found everywhere by chance."""

_HEADER_COST = 4
"""A prefix or suffix must save more than this."""

_MIN_NUMBERS = 4
"""A text column is worth its header from so many numbers in quotes."""

# At most 15 digits, which every language computes exactly.
_integer = re.compile(rb"0|-?[1-9][0-9]{0,14}").fullmatch


class Source(NamedTuple):
    """A column that others can be derived from."""

    name: bytes
    texts: list[bytes]


def run(lexemes: list[bytes]) -> tuple[int, int] | None:
    """The first two numbers of the arithmetic run that these cells are, from three cells up."""
    if len(lexemes) < 3 or not all(map(_integer, lexemes)):
        return None
    numbers = [int(lexeme) for lexeme in lexemes]
    step = numbers[1] - numbers[0]
    if any(later - earlier != step for earlier, later in zip(numbers, numbers[1:])):
        return None
    return numbers[0], numbers[1]


def source(key: bytes, cells: Sequence[Node | None]) -> Source | None:
    """A column with plain strings in every record, under a name that templates can use."""
    lexemes = [cell for cell in cells if isinstance(cell, bytes) and cell[0] == 0x22 and b"\\" not in cell]
    if len(lexemes) < len(cells) or not is_ident(key[1:-1]):
        return None
    return Source(key[1:-1], [lexeme[1:-1] for lexeme in lexemes])


def derived(strings: list[bytes], sources: list[Source]) -> tuple[bytes, bytes, bytes] | None:
    """An earlier column that every text of this one contains at the same place: what is before it, its name, and what
    is behind it."""
    for name, texts in reversed(sources[-_MAX_SOURCES:]):
        if len(texts[0]) < _MIN_SOURCE or texts[0] not in strings[0]:
            continue
        prefix, _, suffix = strings[0].partition(texts[0])
        if all(
            string == prefix + text + suffix and may_cut(string, len(prefix)) and may_cut(string, len(string) - len(suffix))
            for string, text in zip(strings, texts)
        ):
            return prefix, name, suffix
    return None


def edges(strings: list[bytes]) -> tuple[bytes, bytes] | None:
    """The prefix and the suffix of a text column; nothing if it is none."""
    first = strings[0]
    prefix = first[: _common_prefix(first, strings)]
    suffix = first[len(first) - _common_suffix(first, len(prefix), strings) :]
    changed = [later for earlier, later in zip(strings, strings[1:]) if earlier != later]
    if len(changed) * cost(prefix) <= _HEADER_COST:
        prefix = b""
    if len(changed) * cost(suffix) <= _HEADER_COST:
        suffix = b""
    if not prefix and not suffix and sum(map(is_number, changed)) < _MIN_NUMBERS:
        return None
    return prefix, suffix


def _common_prefix(first: bytes, strings: list[bytes]) -> int:
    """The length of what all texts start with, up to the last byte that is in no word and behind which all may be cut."""
    length = len(first)
    for string in strings:
        length = common(first, string, length)
        if length == 0:
            return 0
    while length and (word_follows(first, length - 1) or not all(may_cut(string, length) for string in strings)):
        length -= 1
    return length


def _common_suffix(first: bytes, prefix: int, strings: list[bytes]) -> int:
    """The length of what all texts end with behind their prefix, from the first byte on that is in no word and before which
    all may be cut."""
    backward = first[prefix:][::-1]
    length = len(backward)
    for string in strings:
        length = common(backward, string[prefix:][::-1], length)
        if length == 0:
            return 0
    while length and (
        word_follows(first, len(first) - length)
        or not all(may_cut(string, len(string) - length) for string in strings)
    ):
        length -= 1
    return length


def common(one: bytes, other: bytes, limit: int) -> int:
    """The length of what two texts start with, ``limit`` at most."""
    limit = min(limit, len(other))
    if one[:limit] == other[:limit]:
        return limit
    for length in range(limit):
        if one[length] != other[length]:
            return length
    return limit
