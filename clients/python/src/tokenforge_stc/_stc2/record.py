"""Rows, and records in cells: each is the steps of its shape."""

from __future__ import annotations

from typing import NamedTuple

from .. import _lexeme
from .._steps import Steps
from . import lexeme
from .header import MAX_RUN, Header
from .shape import Op, Shape, Step

_BEHIND_MARK = frozenset(b")]}")


class Anchor(NamedTuple):
    """A part of the output that was given a number."""

    start: int
    end: int
    """0 until it is complete."""
    is_text: bool
    """The text of a string without its quotes, to which more can be added."""


class Records(Header):
    """Reads records; what is no record in them is a value."""

    def __init__(self, data: bytes, max_output: int) -> None:
        super().__init__(data, max_output)
        self.anchors: list[Anchor] = []

    def anchored(self, op: Op | None) -> Steps | None:
        """``&N`` and what has the number."""
        raise NotImplementedError

    def container(self, anchor: int | None) -> Steps:
        """An object, array, table or map."""
        raise NotImplementedError

    def record(self, shape: Shape) -> Steps:
        """The members of a record whose brace is written."""
        is_first = True
        for op in shape.ops:
            if not op.has_cell:
                self.step_without_cell(shape, op)
                continue
            if not is_first:
                self.expect(b" ", "a space and the next cell")
            is_first = False
            mark = self.mark()
            if mark == b"-":
                if not op.is_sparse:
                    raise self.expected("a cell: no row lacks this column")
                self.at += 1
                op.last = None
                continue
            self.write_key(op.key)
            start = len(self.out)
            value = None
            if mark == b"^":
                self.ditto(op)
            elif op.step is Step.TEXT:
                self.text(op)
            else:
                value = self.cell(op)
            if value:
                yield value
            op.last = (start, len(self.out))
        self.out += b"}"
        self.check_output()

    def mark(self) -> bytes:
        """``-`` or ``^``, if the cell is that and nothing more."""
        mark = self.peek()
        if mark == b"-" or mark == b"^":
            following = self.data[self.at + 1 : self.at + 2]
            if not following or following[0] <= 0x20 or following[0] in _BEHIND_MARK:
                return mark
        return b""

    def cell(self, op: Op) -> Steps | None:
        first = self.peek()
        if first == b"&":
            return self.anchored(op)
        if first and first in b"{[(":
            return self.bracket(op, None)
        return self.value()

    def step_without_cell(self, shape: Shape, op: Op) -> None:
        """What a row does not spell."""
        if op.step is Step.CONSTANT:
            self.check_room(len(op.key))
            self.write_key(op.key)
        elif op.step is Step.OPEN:
            self.write_key(op.key)
            self.out += b"{"
            self.enter(1)
        elif op.step is Step.CLOSE:
            self.out += b"}"
            self.leave(1)
        elif op.step is Step.RUN:
            if abs(op.next) > MAX_RUN:
                raise self.expected("a run that stays below 2^53")
            self.write_key(op.key)
            self.out += b"%d" % op.next
            op.next += op.step_width
        else:
            source = shape.ops[op.source].last
            if source is None or self.out[source[0]] != 0x22:
                raise self.expected("a string in the column of the template")
            start, end = source
            self.check_room(end - start + len(op.prefix) + len(op.suffix))
            self.write_key(op.key)
            made = len(self.out)
            self.out += b'"' + op.prefix + self.out[start + 1 : end - 1] + op.suffix + b'"'
            op.last = (made, len(self.out))

    def ditto(self, op: Op) -> None:
        """The same value as in the record before."""
        if op.last is None:
            raise self.expected("a cell: there is none above to repeat")
        start, end = op.last
        self.check_room(end - start)
        self.at += 1
        self.out += self.out[start:end]

    def text(self, op: Op) -> None:
        """A string between the prefix and the suffix of its column, or null."""
        start = self.at
        if self.peek() == b'"':
            end = _lexeme.string(self.data, start)
            text = self.data[start + 1 : end - 1]
        else:
            found = lexeme.BARE(self.data, start)
            text = found[0] if found else b""
            if text in (b"", b"|") or text[0] in b"&*":
                raise self.expected("a text")
            end = start + len(text)
            if text == b"null":
                self.out += text
                self.at = end
                return self.check_output()
        self.out += b'"' + op.prefix + text + op.suffix + b'"'
        self.at = end
        self.check_output()

    def bracket(self, op: Op | None, anchor: int | None) -> Steps:
        """What a bracket begins; a cell of records has its own."""
        first = self.peek()
        if first == b"(" and op and op.step is Step.TUPLE:
            return self.read_tuple(op.shape, anchor)
        if first == b"[" and op and op.step is Step.LIST:
            return self.read_list(op.shape, anchor)
        if first == b"{" or first == b"[":
            return self.container(anchor)
        raise self.expected("a quoted string or a bracket")

    def read_tuple(self, shape: Shape, anchor: int | None) -> Steps:
        self.enter(1)
        self.at += 1
        self.out += b"{"
        self.check_output()
        yield self.record(shape)
        self.expect(b")", "`)` after the last cell")
        self.leave(1)
        self.complete(anchor)

    def read_list(self, shape: Shape, anchor: int | None) -> Steps:
        self.enter(2)
        self.at += 1
        self.out += b"["
        if self.peek() != b"]":
            self.out += b"{"
            self.check_output()
            yield self.record(shape)
            while self.data.startswith(b" | ", self.at):
                self.at += 3
                self.out += b",{"
                yield self.record(shape)
            if self.peek() != b"]":
                raise self.expected("` | ` or `]` after the last cell")
        self.at += 1
        self.out += b"]"
        self.leave(2)
        self.complete(anchor)
        self.check_output()

    def complete(self, anchor: int | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = self.anchors[anchor]._replace(end=len(self.out))

    def write_key(self, key: bytes) -> None:
        if self.out[-1] != 0x7B:
            self.out += b","
        self.out += key
