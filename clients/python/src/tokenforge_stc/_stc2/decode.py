"""STC 2 to minified JSON, in one pass."""

from __future__ import annotations

import re

from .. import _lexeme
from .._error import error
from .._steps import Steps, run
from . import lexeme
from .record import Anchor, Records
from .shape import Op, Shape

HEADER = b"stc2\n"
"""The first line, as programs write it."""

_FIRST_LINE = re.compile(rb"stc2(?: \([^()\n]*\))?\n")

_NEITHER_VALUE = frozenset([b"-", b"^", b"|"])
_LITERALS = frozenset([b"true", b"false", b"null"])


def is_stc2(data: bytes) -> bool:
    """Is a text STC 2, by its first line?"""
    return _FIRST_LINE.match(data) is not None


def decode(data: bytes, max_output: int) -> str:
    """Reads a text that starts with :data:`HEADER`, or with a header that has a legend for models."""
    decoder = _Decoder(data, max_output)
    run(decoder.value())
    decoder.finish()
    decoder.check_output()
    return decoder.out.decode()


class _Decoder(Records):
    def __init__(self, data: bytes, max_output: int) -> None:
        super().__init__(data, max_output)
        first_line = _FIRST_LINE.match(data)
        self.at = first_line.end() if first_line else 0
        self.is_in_table = False
        self.is_in_header = False

    def value(self) -> Steps | None:
        """Reads a scalar or a reference; for a container, returns the steps that read it."""
        found = lexeme.VALUE(self.data, self.at)
        if found is None:
            first = self.peek()
            if first == b"{" or first == b"[":
                return self.container(None)
            if first != b'"':
                raise self.expected("a value")
            self.write_string()
        elif found[1] is not None:
            self.out += found[1]
            self.at = found.end()
        else:
            word = found[2]
            if word[0] == 0x26:
                return self.anchored(None)
            if word[0] == 0x2A:
                self.reference()
                return None
            if word in _NEITHER_VALUE:
                raise self.expected("a value")
            self.out += word if word in _LITERALS else b'"' + word + b'"'
            self.at = found.end()
        self.check_output()
        return None

    def container(self, anchor: int | None) -> Steps:
        table = lexeme.TABLE(self.data, self.at)
        if table:
            if self.is_in_table:
                raise self.expected("no table inside a table")
            return self.table(lexeme.count(table[table.lastindex or 1]), table.end(), anchor)
        return self.object(anchor) if self.peek() == b"{" else self.array(anchor)

    def object(self, anchor: int | None) -> Steps:
        self.open(b"{")
        if self.peek() != b"}":
            self.check_output()
            while True:
                self.out += self.key()
                self.expect(b":", "`:` after the key")
                value = self.value()
                if value:
                    yield value
                if not self.separator(b"}"):
                    break
        self.close(b"}", anchor)

    def array(self, anchor: int | None) -> Steps:
        self.open(b"[")
        if self.peek() != b"]":
            self.check_output()
            while True:
                value = self.value()
                if value:
                    yield value
                if not self.separator(b"]"):
                    break
        self.close(b"]", anchor)

    def open(self, bracket: bytes) -> None:
        self.enter(1)
        self.at += 1
        self.out += bracket

    def separator(self, end: bytes) -> bool:
        """Steps over what separates members and elements, or stops before the end of the container."""
        found = self.peek()
        if found == b" " or found == b"\n":
            self.at += 1
            self.out += b","
            return True
        if found != end:
            raise self.expected(f"a space or `{end.decode()}`")
        return False

    def close(self, bracket: bytes, anchor: int | None) -> None:
        self.at += 1
        self.out += bracket
        self.leave(1)
        self.complete(anchor)
        self.check_output()

    def table(self, count: int, columns: int, anchor: int | None) -> Steps:
        """The columns, and exactly ``count`` rows; each has a key if it is a map."""
        is_map = self.peek() == b"{"
        self.enter(2)
        self.at = columns
        self.out += b"{" if is_map else b"["
        self.is_in_table = self.is_in_header = True
        shape = Shape()
        yield self.columns(shape, b"}")
        self.is_in_header = False
        for row in range(count):
            if self.peek() != b"\n":
                raise error(f"expected {count} rows as declared, found {row}", self.data, self.at)
            self.at += 1
            if row:
                self.out += b","
            if is_map:
                self.out += self.key()
                self.expect(b":", "`:` after the key")
            self.out += b"{"
            yield self.record(shape)
        self.out += b"}" if is_map else b"]"
        self.leave(2)
        self.is_in_table = False
        self.complete(anchor)
        self.check_output()

    def anchored(self, op: Op | None) -> Steps | None:
        """``&N`` and a quoted string, which more text may follow, or a container, or what only this cell can have."""
        number, end = self.number()
        index = len(self.anchors)
        if number != index + 1:
            raise self.expected("the next number after `&`")
        self.at = end
        is_text = self.peek() == b'"'
        self.anchors.append(Anchor(len(self.out) + is_text, 0, is_text))
        if not is_text:
            return self.bracket(op, index)
        self.write_string()
        del self.out[-1:]
        self.complete(index)
        self.tail()
        return None

    def reference(self) -> None:
        """``*N``, which more text may follow if it refers to a string."""
        number, end = self.number()
        anchor = self.anchors[number - 1] if number <= len(self.anchors) else None
        if anchor is None or anchor.end == 0:
            raise self.expected("the number of a value that was read before")
        self.at = end
        self.check_room(anchor.end - anchor.start)
        part = self.out[anchor.start : anchor.end]
        if anchor.is_text:
            self.out += b'"' + part
            self.tail()
        else:
            self.out += part

    def tail(self) -> None:
        """What is added to a shared string, bare or quoted, and the quote that ends it."""
        start = self.at
        if self.peek() == b'"':
            self.at = _lexeme.string(self.data, start)
            self.out += self.data[start + 1 : self.at - 1]
        else:
            found = lexeme.BARE(self.data, start)
            if found:
                self.out += found[0]
                self.at = found.end()
        self.out += b'"'
        self.check_output()

    def number(self) -> tuple[int, int]:
        """The number behind the mark at hand, and where it ends; no header may have one."""
        if self.is_in_header:
            raise self.expected("a value without references in a header")
        number = lexeme.NUMBERED(self.data, self.at)
        if number is None:
            self.at += 1
            raise self.expected("a number from 1 up")
        return lexeme.count(number[1]), number.end()
