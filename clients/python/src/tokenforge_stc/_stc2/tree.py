"""What an encoder has to know of the values of a document: which are equal, and how much they weigh."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Union

from .._json import Array, Node, Object
from .cost import cost
from .lexeme import is_bare

Print = Union[bytes, int]
"""Equal values have equal prints. That of a scalar is its lexeme."""


def is_record(node: Node) -> bool:
    """Can this value be a record: an object with members?"""
    return isinstance(node, Object) and bool(node.keys)


def children(node: Node) -> Array:
    """The values inside a container."""
    return node.values if isinstance(node, Object) else node if isinstance(node, list) else []


class Tree:
    """A document, and the prints and weights of its values."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.minified_length = 0
        self._prints: dict[int, int] = {}
        self._weights: dict[Print, int] = {}
        known: dict[Hashable, int] = {}
        for node in reversed(_containers(root)):
            inside = children(node)
            inner = tuple(map(self.print, inside))
            keys = tuple(node.keys) if isinstance(node, Object) else None
            self._prints[id(node)] = known.setdefault((keys, inner), len(known))
            self.minified_length += 2 + max(len(inside) - 1, 0) + sum(len(each) + 1 for each in keys or ())
            self.minified_length += sum(len(each) for each in inside if isinstance(each, bytes))
        if isinstance(root, bytes):
            self.minified_length = len(root)

    def print(self, node: Node) -> Print:
        return node if isinstance(node, bytes) else self._prints[id(node)]

    def same(self, one: Node, other: Node) -> bool:
        """Are two values the same once minified?"""
        return self.print(one) == self.print(other)

    def weight(self, node: Node) -> int:
        """About how many tokens a value costs where it is written plainly."""
        known = self._weights.get(self.print(node))
        if known is not None:
            return known
        # What is inside a container comes behind it in the list.
        for inner in reversed(_containers(node)):
            if self.print(inner) not in self._weights:
                keys = inner.keys if isinstance(inner, Object) else []
                weight = 2 + sum(cost(key[1:-1]) + 1 for key in keys)
                self._weights[self.print(inner)] = weight + sum(map(self._known_weight, children(inner)))
        return self._known_weight(node)

    def _known_weight(self, node: Node) -> int:
        print = self.print(node)
        weight = self._weights.get(print)
        if weight is None:
            assert isinstance(node, bytes)
            weight = self._weights[print] = _scalar_weight(node)
        return weight


def _scalar_weight(lexeme: bytes) -> int:
    if lexeme[0] != 0x22:
        return cost(lexeme)
    text = lexeme[1:-1]
    return cost(text) + (0 if is_bare(text) else 2)


def _containers(root: Node) -> list[Union[Array, Object]]:
    """All containers of a value, each before those inside of it."""
    found: list[Union[Array, Object]] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if not isinstance(node, bytes):
            found.append(node)
            pending += children(node)
    return found
