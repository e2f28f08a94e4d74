"""STC to minified JSON, in one pass."""

from __future__ import annotations

from . import _lexeme
from ._error import error, expected, utf8
from ._reader import Reader
from ._stc2 import decode as _stc2
from ._steps import Steps, run

MAX_OUTPUT = 64 * 1024 * 1024
"""The default of ``max_output``: 64 MiB."""

_LARGEST_COUNT = 2**64 - 1


def decode_stc(stc: str, *, max_output: int = MAX_OUTPUT) -> str:
    """Reads STC of either version, which is JSON too, and returns minified JSON text.

    >>> decode_stc('{tags[2]: "a","b", n: 1.10}')
    '{"tags":["a","b"],"n":1.10}'
    >>> decode_stc('stc2\\n{tags:[a b] n:1.10}')
    '{"tags":["a","b"],"n":1.10}'

    A table repeats its keys, so a small text can decode to a large one: beyond ``max_output`` bytes of UTF-8
    it is an error. Raises :class:`StcError`.
    """
    data = utf8(stc)
    return _stc2.decode(data, max_output) if _stc2.is_stc2(data) else decode_stc1(data, max_output)


def decode_stc1(data: bytes, max_output: int) -> str:
    """Reads STC 1 or JSON."""
    decoder = _Decoder(data, max_output)
    decoder.document()
    return decoder.out.decode()


class _Decoder(Reader):
    def __init__(self, data: bytes, max_output: int) -> None:
        super().__init__(data)
        self.max_output = max_output
        self.out = bytearray()

    def document(self) -> None:
        self.skip()
        run(self.value())
        self.finish()
        self.check_output()

    def value(self) -> Steps | None:
        """Copies a scalar; for a container, returns the steps that read it."""
        scalar = _lexeme.SCALAR(self.data, self.at)
        if scalar:
            self.out += scalar[0]
            self.at = scalar.end()
            self.check_output()
            return None
        first = self.peek()
        if first == b"{":
            return self.object()
        if first == b"[":
            header = _lexeme.COUNT(self.data, self.at)
            if header and self.data[header.end() : header.end() + 1] == b"{":
                self.at = header.end()
                return self.table(_count(header[1]))
            return self.array()
        end = _lexeme.scalar(self.data, self.at)
        self.out += self.data[self.at : end]
        self.at = end
        self.check_output()
        return None

    def object(self) -> Steps:
        self.enter(1)
        self.out += b"{"
        self.advance()
        if self.peek() != b"}":
            value = self.member()
            if value:
                yield value
            while self.comma_or(b"}"):
                value = self.member()
                if value:
                    yield value
        self.at += 1
        self.leave(1)
        self.out += b"}"

    def member(self) -> Steps | None:
        """``key: value``, ``key[N]: values`` or ``key[N]{columns}: rows``."""
        self.out += self.key()
        self.skip()
        if self.peek() != b"[":
            self.colon("`:` or `[` after the key")
            return self.value()
        count = self.count()
        if self.peek() == b"{":
            return self.table(count)
        self.colon("`{` or `:` after the count")
        return self.compact(count)

    def array(self) -> Steps:
        self.enter(1)
        self.out += b"["
        self.advance()
        if self.peek() != b"]":
            value = self.value()
            if value:
                yield value
            while self.comma_or(b"]"):
                value = self.value()
                if value:
                    yield value
        self.at += 1
        self.leave(1)
        self.out += b"]"

    def compact(self, count: int) -> Steps:
        """Exactly ``count`` values."""
        self.enter(1)
        self.out += b"["
        for index in range(count):
            if index:
                self.separator(_lexeme.COMMA, "values", count, index)
                self.out += b","
            value = self.value()
            if value:
                yield value
        self.leave(1)
        self.out += b"]"

    def table(self, count: int) -> Steps:
        """The columns, and exactly ``count`` rows."""
        self.enter(2)
        columns = self.columns()
        self.colon("`:` after the columns")
        self.out += b"["
        template = b"%b".join(column.replace(b"%", b"%%") for column in [*columns, b"}"])
        for row in range(count):
            if row:
                self.separator(_lexeme.SLASH, "rows", count, row)
                self.out += b","
            if self.flat_row(template, len(columns)):
                continue
            for index, column in enumerate(columns):
                if index:
                    self.separator(_lexeme.COMMA, "cells", len(columns), index)
                self.out += column
                value = self.value()
                if value:
                    yield value
            self.out += b"}"
        self.leave(2)
        self.out += b"]"

    def flat_row(self, template: bytes, width: int) -> bool:
        """Reads a row of scalars at once. Anything else, errors as well, is left to be read cell by cell."""
        row = _lexeme.SCALARS(self.data, self.at)
        cells = _lexeme.EACH_SCALAR(row[0]) if row else ()
        if row is None or len(cells) != width:
            return False
        text = template % tuple(cells)
        if len(self.out) + len(text) > self.max_output:
            return False
        self.out += text
        self.at = row.end()
        return True

    def columns(self) -> list[bytes]:
        """What to write before each cell of a row: ``{"first":``, ``,"second":`` ..."""
        self.advance()
        columns = [b"{" + self.key()]
        while self.comma_or(b"}", " after the column", copy=False):
            columns.append(b"," + self.key())
        self.at += 1
        return columns

    def key(self) -> bytes:
        """Reads a key, an identifier or a string; returns it as JSON, with its colon."""
        key = _lexeme.KEY(self.data, self.at)
        if key:
            self.at = key.end()
            return key[0] + b":" if key[0][0] == 0x22 else b'"' + key[0] + b'":'
        if self.peek() != b'"':
            raise self.expected("a key")
        start, self.at = self.at, _lexeme.string(self.data, self.at)
        return self.data[start : self.at] + b":"

    def count(self) -> int:
        """Reads ``[N]``."""
        count = _lexeme.COUNT(self.data, self.at)
        if count is None:
            raise _bad_count(self.data, self.at + 1)
        self.at = count.end()
        return _count(count[1])

    def comma_or(self, end: bytes, where: str = "", copy: bool = True) -> bool:
        """Steps over a comma, or stops before the end of the container."""
        comma = _lexeme.COMMA(self.data, self.at)
        if comma:
            self.at = comma.end()
            if copy:
                self.out += b","
            return True
        self.skip()
        if self.peek() != end:
            raise self.expected(f"`,` or `{end.decode()}`{where}")
        return False

    def separator(self, mark: _lexeme.Match, of: str, count: int, index: int) -> None:
        """The separator before item ``index`` of ``count``; without it there are too few items."""
        separator = mark(self.data, self.at)
        if separator is None:
            self.skip()
            raise error(f"expected {count} {of} as declared, found {index}", self.data, self.at)
        self.at = separator.end()

    def enter(self, levels: int) -> None:
        super().enter(levels)
        self.check_output()

    def check_output(self) -> None:
        if len(self.out) > self.max_output:
            problem = f"expected an output of at most {self.max_output} bytes, it would be larger"
            raise error(problem, self.data, self.at)


def _count(digits: bytes) -> int:
    # No text has 10**19 values, and Python refuses to convert thousands of digits.
    return int(digits) if len(digits) < 20 else _LARGEST_COUNT


def _bad_count(data: bytes, at: int) -> Exception:
    if data[at : at + 1] == b"0":
        return expected("a count from 1 up, without leading zeros", data, at)
    digits = _lexeme.DIGITS(data, at)
    end = digits.end() if digits else at
    return expected("`]` after the count" if end > at else "a count", data, end)
