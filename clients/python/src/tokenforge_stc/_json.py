"""JSON text to a tree of its lexemes, each as it was written."""

from __future__ import annotations

from typing import Union

from . import _lexeme
from ._reader import MAX_DEPTH, Reader
from ._steps import Steps, run


class Object:
    """The members of an object in their order; keys keep their quotes and may repeat."""

    __slots__ = ("keys", "values")

    def __init__(self, members: list[tuple[bytes, bytes]]) -> None:
        self.keys = [key for key, _ in members]
        self.values: list[Node] = [value for _, value in members]


Array = list["Node"]
Node = Union[bytes, Array, Object]
"""Bytes are a scalar."""


def parse(data: bytes) -> Node:
    """Reads one JSON text."""
    root: list[Node] = []
    reader = _JsonReader(data)
    reader.skip()
    run(reader.value(root))
    reader.finish()
    return root[0]


class _JsonReader(Reader):
    def value(self, into: list[Node]) -> Steps | None:
        """Appends a value; for a container, returns the steps that fill it."""
        scalar = _lexeme.SCALAR(self.data, self.at)
        if scalar:
            into.append(scalar[0])
            self.at = scalar.end()
            return None
        first = self.peek()
        if first == b"{":
            flat = _lexeme.FLAT_OBJECT(self.data, self.at) if self.depth < MAX_DEPTH else None
            members = Object(_lexeme.EACH_MEMBER(flat[0]) if flat else [])
            into.append(members)
            if flat is None:
                return self.object(members)
            self.at = flat.end()
            return None
        if first == b"[":
            elements: Array = []
            into.append(elements)
            return self.array(elements)
        end = _lexeme.scalar(self.data, self.at)
        into.append(self.data[self.at : end])
        self.at = end
        return None

    def object(self, members: Object) -> Steps:
        self.enter(1)
        self.advance()
        while members.keys or self.peek() != b"}":
            members.keys.append(self.key("a key" if members.keys else "a key or `}`"))
            self.colon("`:` after the key")
            value = self.value(members.values)
            if value:
                yield value
            if not self.comma_or(b"}"):
                break
        self.at += 1
        self.leave(1)

    def array(self, elements: Array) -> Steps:
        self.enter(1)
        self.advance()
        while elements or self.peek() != b"]":
            value = self.value(elements)
            if value:
                yield value
            if not self.comma_or(b"]"):
                break
        self.at += 1
        self.leave(1)

    def key(self, wanted: str) -> bytes:
        key = _lexeme.STRING(self.data, self.at)
        if key:
            self.at = key.end()
            return key[0]
        if self.peek() != b'"':
            raise self.expected(wanted)
        start, self.at = self.at, _lexeme.string(self.data, self.at)
        return self.data[start : self.at]

    def comma_or(self, end: bytes) -> bool:
        """Steps over a comma, or stops before the end of the container."""
        comma = _lexeme.COMMA(self.data, self.at)
        if comma:
            self.at = comma.end()
            return True
        self.skip()
        if self.peek() != end:
            raise self.expected(f"`,` or `{end.decode()}`")
        return False
