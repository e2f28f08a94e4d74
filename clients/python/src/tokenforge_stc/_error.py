"""What went wrong in a text, where, and what would be right."""

from __future__ import annotations

import unicodedata


class StcError(ValueError):
    """A text is not STC (when decoding) or not JSON (when encoding), or it is beyond a limit.

    >>> from tokenforge_stc import decode_stc
    >>> decode_stc("{t[3]: 1,2}")
    Traceback (most recent call last):
    tokenforge_stc._error.StcError: expected 3 values as declared, found 2 (line 1, column 11, byte 10)
    """

    offset: int
    """Where reading could not go on, in bytes of UTF-8 from the start of the text."""
    line: int
    """The line, counted from 1."""
    column: int
    """The column in characters, counted from 1."""

    def __init__(self, problem: str, offset: int, line: int, column: int) -> None:
        super().__init__(f"{problem} (line {line}, column {column}, byte {offset})")
        self.problem = problem
        self.offset = offset
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[type[StcError], tuple[str, int, int, int]]:
        return type(self), (self.problem, self.offset, self.line, self.column)


def error(problem: str, data: bytes, offset: int) -> StcError:
    """Line and column cost a pass over the text, so they are found only here, once."""
    line_start = data.rfind(b"\n", 0, offset) + 1
    line = 1 + data.count(b"\n", 0, offset)
    column = 1 + len(data[line_start:offset].decode())
    return StcError(problem, offset, line, column)


def expected(what: str, data: bytes, offset: int) -> StcError:
    """The everyday error: ``what`` should stand at ``offset``."""
    found = data[offset : offset + 4].decode(errors="ignore")[:1]
    if not found:
        name = "the end of the text"
    elif unicodedata.category(found) == "Cc":
        name = f"U+{ord(found):04X}"
    else:
        name = f"`{found}`"
    return error(f"expected {what}, found {name}", data, offset)


def utf8(text: str) -> bytes:
    """The bytes of a text. A lone surrogate has none: it cannot be sent, so it is an error here already."""
    try:
        return text.encode()
    except UnicodeEncodeError as unencodable:
        surrogate = f"U+{ord(text[unencodable.start]):04X}"
        before = text[: unencodable.start].encode()
        problem = f"expected Unicode text, found the lone surrogate {surrogate}"
        raise error(problem, before, len(before)) from None
