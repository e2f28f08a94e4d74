"""Walks through a text line by line and knows which number a thinned column would show next."""

from __future__ import annotations

from ..numbers import SIGNATURE, Run


class Numbering:
    def __init__(self) -> None:
        self._run: Run | None = None
        self._next = 0

    def read(self, line: str, following: str | None) -> str:
        """Reads a line, given the one after it; gives the line's text behind a number that is shown."""
        if line.startswith(SIGNATURE):
            self._run = None if following is None else Run.announced(line, following)
            self._next = self._run.first if self._run else 0
            return line
        shown = self._shown()
        self._advance()
        return line[len(shown) :] if line.startswith(shown) else line

    def next_number(self) -> int | None:
        """The number of the next line, shown or not; ``None`` outside of a column."""
        return self._next if self._run else None

    def write(self, bare: str) -> str:
        """A line as it must stand here."""
        line = self._shown() + bare
        self._advance()
        return line

    def _shown(self) -> str:
        return self._run.shown(self._next) if self._run else ""

    def _advance(self) -> None:
        self._next += 1
        if self._run and self._next > self._run.last:
            self._run = None
