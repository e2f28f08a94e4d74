"""The JSON being written, and what all parts of the decoder read."""

from __future__ import annotations

from .. import _lexeme
from .._error import error
from .._reader import Reader
from . import lexeme


class Output(Reader):
    """A place in a text, and what was made of it so far."""

    def __init__(self, data: bytes, max_output: int) -> None:
        super().__init__(data)
        self.max_output = max_output
        self.out = bytearray()

    def key(self) -> bytes:
        """Reads a key; returns it as JSON, with its colon."""
        start = self.at
        if self.peek() == b'"':
            self.at = _lexeme.string(self.data, start)
            return self.data[start : self.at] + b":"
        found = lexeme.KEY(self.data, start)
        key = found[0] if found else b""
        if not key or key[0] in b"&*":
            raise self.expected("a key")
        self.at += len(key)
        return b'"' + key + b'":'

    def write_string(self) -> None:
        start, self.at = self.at, _lexeme.string(self.data, self.at)
        self.out += self.data[start : self.at]

    def expect(self, byte: bytes, what: str) -> None:
        if self.peek() != byte:
            raise self.expected(what)
        self.at += 1

    def check_room(self, more: int) -> None:
        """Fails if so many more bytes would be too many."""
        if len(self.out) + more > self.max_output:
            problem = f"expected an output of at most {self.max_output} bytes, it would be larger"
            raise error(problem, self.data, self.at)

    def check_output(self) -> None:
        self.check_room(0)
