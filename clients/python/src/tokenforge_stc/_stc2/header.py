"""Headers: columns, and what their cells have in common."""

from __future__ import annotations

from .. import _lexeme
from .._steps import Steps
from . import lexeme
from .output import Output
from .shape import Op, Shape, Step

MAX_RUN = 2**53 - 1
"""The largest number of a run: every language computes up to it exactly."""


class Header(Output):
    """Reads the columns of tables; their constants are values."""

    def value(self) -> Steps | None:
        raise NotImplementedError

    def columns(self, shape: Shape, close: bytes) -> Steps:
        """A list of columns and the bracket behind it."""
        names: dict[bytes, int] = {}
        while True:
            start = self.at
            key = self.key()
            if self.data[start] != 0x22:
                names[self.data[start : self.at]] = len(shape.ops)
            inside = self.column(shape, key, names)
            if inside:
                yield inside
            found = self.peek()
            if found != b" ":
                break
            self.at += 1
        if found != close:
            raise self.expected("a space or the end of the columns")
        self.at += 1

    def column(self, shape: Shape, key: bytes, names: dict[bytes, int]) -> Steps | None:
        """What stands behind the key of a column."""
        is_sparse = self.peek() == b"?"
        self.at += is_sparse
        found = self.peek()
        if found == b"(" or found == b"[":
            inner = Shape()
            shape.ops.append(Op(Step.TUPLE if found == b"(" else Step.LIST, key, is_sparse, shape=inner))
            return self.inner_columns(inner, *((b")", 1) if found == b"(" else (b"]", 2)))
        if found == b"=":
            shape.ops.append(self.template(key, is_sparse, names, len(shape.ops)))
            return None
        if is_sparse and (found == b"{" or found == b":"):
            raise self.expected("no `?` before `{` or `:`")
        if found == b"{":
            shape.ops.append(Op(Step.OPEN, key))
            return self.nested_columns(shape)
        if found == b":":
            return self.constant(shape, key)
        shape.ops.append(Op(Step.CELL, key, is_sparse))
        return None

    def inner_columns(self, shape: Shape, close: bytes, levels: int) -> Steps:
        self.enter(levels)
        self.at += 1
        yield self.columns(shape, close)
        self.leave(levels)

    def nested_columns(self, shape: Shape) -> Steps:
        yield self.inner_columns(shape, b"}", 1)
        shape.ops.append(Op(Step.CLOSE))

    def constant(self, shape: Shape, key: bytes) -> Steps:
        """Takes the value back from the output and puts it behind its key."""
        self.at += 1
        start = len(self.out)
        value = self.value()
        if value:
            yield value
        shape.ops.append(Op(Step.CONSTANT, key + bytes(self.out[start:])))
        del self.out[start:]

    def template(self, key: bytes, is_sparse: bool, names: dict[bytes, int], index: int) -> Op:
        """``=1,2..``, ``=*``, ``=name``, with texts before and behind."""
        self.at += 1
        first = self.peek()
        if first and first in b"-0123456789" and not is_sparse:
            return self.run_of_numbers(key)
        prefix = self.piece()
        if prefix:
            self.expect(b"+", "`+` behind the text")
        source = None
        if self.peek() == b"*":
            self.at += 1
        else:
            name = lexeme.IDENT(self.data, self.at)
            if name is None:
                raise self.expected("a key")
            source = names.get(name[0], index)
            if source >= index or is_sparse:
                raise self.expected("an earlier column")
            self.at = name.end()
        suffix = b""
        if self.peek() == b"+":
            self.at += 1
            suffix = self.piece()
            if not suffix:
                raise self.expected("a text behind `+`")
        step = Step.TEXT if source is None else Step.DERIVED
        return Op(step, key, is_sparse, prefix=prefix, suffix=suffix, source=source or 0)

    def piece(self) -> bytes:
        """A quoted text, or nothing."""
        if self.peek() != b'"':
            return b""
        start, self.at = self.at, _lexeme.string(self.data, self.at)
        return self.data[start + 1 : self.at - 1]

    def run_of_numbers(self, key: bytes) -> Op:
        first = self.integer()
        self.expect(b",", "`,` and the second number")
        second = self.integer()
        self.expect(b".", "`..` behind the second number")
        self.expect(b".", "`..` behind the second number")
        return Op(Step.RUN, key, next=first, step=second - first)

    def integer(self) -> int:
        found = lexeme.INTEGER(self.data, self.at)
        digits = found[1] if found else b""
        is_canonical = digits[:1] not in (b"", b"0") or found is not None and found[0] == b"0"
        if not is_canonical or len(digits) > 16 or int(digits) > MAX_RUN:
            raise self.expected("an integer below 2^53")
        assert found is not None
        self.at = found.end()
        return int(found[0])
