"""What is written once and referred to afterwards: equal values, and strings that start alike.

A document is walked twice. The first walk counts what would be written; what was written often enough then gets a number
where the second walk meets it first, and is a reference where it is met again.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

from .._json import Node
from .cost import cost, word_follows
from .cut import may_cut
from .template import common
from .tree import Print, Tree

_REFERENCE_COST = 2
_ANCHOR_COST = 3

_MIN_STRING = 12
"""Shorter strings have no prefix."""

_MIN_PREFIX = 8
_WINDOW = 16
"""So many neighbours are looked at for one group. A prefix that was chosen before is used again."""

_PREFIX_REFERENCE_COST = 3
_PREFIX_ANCHOR_COST = 5


class Entry:
    """A value that may be shared."""

    __slots__ = ("is_shared", "number", "prefix", "uses", "weight")

    def __init__(self, weight: int) -> None:
        self.weight = weight
        self.uses = 0
        self.is_shared = False
        self.number = 0
        """0 until it is given one."""
        self.prefix: Prefix | None = None


class Prefix:
    """The start of several strings."""

    __slots__ = ("number", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.number = 0


class Sharing(NamedTuple):
    """How the value at hand is written: as a reference to a number, with a number before it for references to come,
    or as a string that starts with a prefix which may be new."""

    number: int
    is_new: bool
    prefix: Optional[bytes] = None


class Shares:
    """The values of a document that are, or may be, shared."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.entries: dict[Print, Entry] = {}
        self.is_counting = True
        self.numbers = 0

    def meet(self, node: Node) -> Sharing | None:
        """How the string or non-empty container is written, which is to be written now; ``None`` if as ever."""
        print = self.tree.print(node)
        entry = self.entries.get(print)
        if self.is_counting:
            if entry is None:
                entry = self.entries[print] = Entry(self.tree.weight(node))
            if entry.weight <= _REFERENCE_COST:
                return None
            entry.uses += 1
            # Written or not, what is inside is not counted again.
            return Sharing(0, False) if entry.uses > 1 and not isinstance(node, bytes) else None
        if entry is None:
            return None
        if entry.number:
            return Sharing(entry.number, False)
        if entry.is_shared:
            entry.number = self.next_number()
            return Sharing(entry.number, True)
        if entry.prefix:
            is_new = entry.prefix.number == 0
            if is_new:
                entry.prefix.number = self.next_number()
            return Sharing(entry.prefix.number, is_new, entry.prefix.text)
        return None

    def next_number(self) -> int:
        self.numbers += 1
        return self.numbers

    def choose(self) -> None:
        """Ends the counting: chooses what is shared."""
        self.is_counting = False
        for entry in self.entries.values():
            entry.is_shared = (entry.uses - 1) * (entry.weight - _REFERENCE_COST) > _ANCHOR_COST
        texts: list[bytes] = sorted(
            print[1:-1]
            for print, entry in self.entries.items()
            if isinstance(print, bytes) and entry.uses and not entry.is_shared and _can_have_prefix(print)
        )
        known: dict[bytes, Prefix] = {}
        at = 0
        while at < len(texts):
            size, length = _best_group(texts, at)
            if size:
                text = texts[at][:length]
                prefix = known.setdefault(text, Prefix(text))
                for index in range(at, at + size):
                    self.entries[b'"' + texts[index] + b'"'].prefix = prefix
            at += max(size, 1)


def _can_have_prefix(string: bytes) -> bool:
    return string[0] == 0x22 and len(string) - 2 >= _MIN_STRING and b"\\" not in string


def _best_group(texts: list[bytes], start: int) -> tuple[int, int]:
    """How many strings from this one on start alike, and the length of that start, where it saves most; of equals the
    largest group."""
    first = texts[start]
    best, size, best_length = 1, 0, 0
    length = len(first)
    for others in range(1, len(texts[start : start + _WINDOW])):
        length = common_words(texts[start : start + others + 1], length)
        if length < _MIN_PREFIX:
            break
        saved = others * (cost(first[:length]) - _PREFIX_REFERENCE_COST) - _PREFIX_ANCHOR_COST
        if saved >= best:
            best, size, best_length = saved, others + 1, length
    return size, best_length


def common_words(strings: list[bytes], limit: int) -> int:
    """The length of what strings start with, up to where no word goes on in any of them and all may be cut. All but the last
    have so many bytes in common as the limit says."""
    length = common(strings[0], strings[-1], limit)
    while length and any(word_follows(string, length) or not may_cut(string, length) for string in strings):
        length -= 1
    return length
