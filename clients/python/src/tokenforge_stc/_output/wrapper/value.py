"""Just enough JSON to find the strings of an envelope: where members and elements are, not what they mean.

Clients cut long outputs, so a text may end inside a string or an object.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BLANK = re.compile(r"[ \n\r\t]*")
_WORD = re.compile(r"[^,}\] \n\r\t]*")
_STRING_STOP = re.compile(r'["\\]')
_CONTAINER_STOP = re.compile(r'["\[\]{}]')


class Value(NamedTuple):
    """A value: where it stands, and its kind by its first character."""

    start: int
    end: int
    kind: str
    is_closed: bool
    """Is its end there, or was the text cut?"""

    def string(self) -> tuple[int, int] | None:
        """What stands between the quotes of a string."""
        return (self.start + 1, self.end - self.is_closed) if self.kind == '"' else None

    def members(self, text: str) -> list[tuple[str, Value]] | None:
        """The keys, as written between their quotes, and values of an object."""
        if self.kind != "{":
            return None
        cursor = _Cursor(text, self.start + 1, self.end)
        members: list[tuple[str, Value]] = []
        while cursor.has_more("}"):
            key = cursor.value()
            name = key and key.string()
            if not name:
                return None
            if not cursor.passes(":"):
                return members if cursor.at >= cursor.end else None
            value = cursor.value()
            if not value:
                return None
            members.append((text[name[0] : name[1]], value))
        return members

    def elements(self, text: str) -> list[Value] | None:
        """The elements of an array."""
        if self.kind != "[":
            return None
        cursor = _Cursor(text, self.start + 1, self.end)
        elements: list[Value] = []
        while cursor.has_more("]"):
            value = cursor.value()
            if not value:
                return None
            elements.append(value)
        return elements


def whole(text: str) -> Value | None:
    """The value that fills the text, but for white space."""
    cursor = _Cursor(text, 0, len(text))
    value = cursor.value()
    cursor.skip(_BLANK)
    return value if cursor.at == len(text) else None


class _Cursor:
    def __init__(self, text: str, at: int, end: int) -> None:
        self.text, self.at, self.end = text, at, end

    def peek(self) -> str:
        return self.text[self.at : self.at + 1] if self.at < self.end else ""

    def skip(self, what: re.Pattern[str]) -> None:
        found = what.match(self.text, self.at, self.end)
        self.at = found.end() if found else self.at

    def passes(self, mark: str) -> bool:
        self.skip(_BLANK)
        is_there = self.peek() == mark
        self.at += is_there
        return is_there

    def has_more(self, close: str) -> bool:
        """Does something follow in this container?"""
        self.passes(",")
        self.skip(_BLANK)
        return self.peek() not in ("", close)

    def value(self) -> Value | None:
        self.skip(_BLANK)
        start, kind, is_closed = self.at, self.peek(), True
        if kind in ("", ",", ":", "}", "]"):
            return None
        if kind == '"':
            is_closed = self.skip_string()
        elif kind in "{[":
            is_closed = self.skip_container()
        else:
            self.skip(_WORD)
        return Value(start, self.at, kind, is_closed)

    def skip_string(self) -> bool:
        self.at += 1
        while stop := _STRING_STOP.search(self.text, self.at, self.end):
            self.at = stop.end()
            if stop[0] == '"':
                return True
            self.at += 1
        self.at = self.end
        return False

    def skip_container(self) -> bool:
        depth = 0
        while stop := _CONTAINER_STOP.search(self.text, self.at, self.end):
            if stop[0] == '"':
                self.at = stop.start()
                self.skip_string()
                continue
            self.at = stop.end()
            depth += 1 if stop[0] in "{[" else -1
            if depth == 0:
                return True
        self.at = self.end
        return False
