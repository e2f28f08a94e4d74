"""What reading STC and reading JSON have in common: a place in the text, and how deep it is nested."""

from __future__ import annotations

from . import _lexeme
from ._error import StcError, error, expected

MAX_DEPTH = 512


class Reader:
    """A place in a text."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.depth = 0

    def peek(self) -> bytes:
        """The byte at this place; empty at the end of the text."""
        return self.data[self.at : self.at + 1]

    def skip(self) -> None:
        """Steps over white space."""
        space = _lexeme.SPACE(self.data, self.at)
        if space:
            self.at = space.end()

    def advance(self) -> None:
        """Steps over one byte and the white space behind it."""
        self.at += 1
        self.skip()

    def enter(self, levels: int) -> None:
        """Counts the levels of a container that opens here."""
        self.depth += levels
        if self.depth > MAX_DEPTH:
            raise error(f"expected at most {MAX_DEPTH} nested levels, found more", self.data, self.at)

    def leave(self, levels: int) -> None:
        self.depth -= levels

    def colon(self, what: str) -> None:
        """Steps over a colon and the white space around it."""
        colon = _lexeme.COLON(self.data, self.at)
        if colon is None:
            self.skip()
            raise self.expected(what)
        self.at = colon.end()

    def finish(self) -> None:
        """Makes sure that nothing follows."""
        self.skip()
        if self.at < len(self.data):
            raise self.expected("nothing after the value")

    def expected(self, what: str) -> StcError:
        return expected(what, self.data, self.at)
