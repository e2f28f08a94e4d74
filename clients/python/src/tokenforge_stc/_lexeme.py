"""Where does a lexeme end? Found by compiled expressions, at C speed.

The expressions read bytes: offsets are then those of UTF-8, and ``[0-9]`` means ASCII. Each comes as its bound
``match``, called with the bytes and an offset.
"""

from __future__ import annotations

import re
from typing import Callable, Optional

from ._error import expected

Match = Callable[[bytes, int], Optional["re.Match[bytes]"]]
"""Does the expression match at this offset?"""

_PLAIN = rb'[^"\\\x00-\x1f]*'
# Bounded, since the engine keeps state for each repetition; a string with more escapes takes more rounds.
_ESCAPES = rb'(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})' + _PLAIN + rb"){1,1000}"
STRING_PATTERN = b'"' + _PLAIN + b'(?:"|' + _ESCAPES + b'")'
# The lookahead leaves unfinished numbers such as `1.` to `number`, which says what is missing.
NUMBER_PATTERN = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![.eE0-9])"
_SPACE = rb"[ \t\n\r]*"

_COMMA = _SPACE + b"," + _SPACE
_COLON = _SPACE + b":" + _SPACE
IDENT_PATTERN = rb"[A-Za-z_][A-Za-z0-9_]*"
_SCALAR = b"(?:" + STRING_PATTERN + b"|" + NUMBER_PATTERN + b"|true|false|null)"
_MEMBER = b"(" + STRING_PATTERN + b")" + _COLON + b"(" + _SCALAR + b")"

SPACE = re.compile(_SPACE).match
COMMA = re.compile(_COMMA).match
COLON = re.compile(_COLON).match
SLASH = re.compile(_SPACE + b"/" + _SPACE).match
QUOTED_IDENT = re.compile(b'"' + IDENT_PATTERN + b'"').fullmatch
COUNT = re.compile(rb"\[([1-9][0-9]*)\]").match
DIGITS = re.compile(rb"[0-9]*").match
STRING = re.compile(STRING_PATTERN).match
KEY = re.compile(IDENT_PATTERN + b"|" + STRING_PATTERN).match
SCALAR = re.compile(_SCALAR).match
"""A scalar in almost every case; :func:`scalar` decides the others."""

SCALARS = re.compile(_SCALAR + b"(?:" + _COMMA + _SCALAR + b"){0,999}").match
EACH_SCALAR = re.compile(_SCALAR).findall
"""The scalars of a text that :data:`SCALARS` has matched."""

FLAT_OBJECT = re.compile(
    rb"\{" + _SPACE + _MEMBER + b"(?:" + _COMMA + _MEMBER + b"){0,999}" + _SPACE + rb"\}"
).match
EACH_MEMBER = re.compile(_MEMBER).findall
"""The keys and values of a text that :data:`FLAT_OBJECT` has matched."""

_CHARACTERS = re.compile(_PLAIN + b"(?:" + _ESCAPES + b")?").match
_NUMBER_PARTS = re.compile(rb"-?(0|[1-9][0-9]*|)(?:\.([0-9]*))?(?:[eE][+-]?([0-9]*))?").match


def scalar(data: bytes, at: int) -> int:
    """The offset behind the scalar at ``at``; an error if there is none."""
    first = data[at : at + 1]
    if first == b'"':
        return string(data, at)
    if first and first in b"-0123456789":
        return number(data, at)
    raise expected("a value", data, at)


def string(data: bytes, start: int) -> int:
    """The offset behind the string whose opening quote is at ``start``."""
    at = start + 1
    while True:
        end = _end(_CHARACTERS(data, at))
        stop = data[end : end + 1]
        if stop == b'"':
            return end + 1
        if stop != b"\\":
            break
        if end == at:
            raise _bad_escape(data, at)
        at = end
    if stop:
        raise expected("control characters to be escaped in a string", data, end)
    raise expected('the closing `"` of the string', data, end)


def number(data: bytes, start: int) -> int:
    """The offset behind the number at ``start``."""
    parts = _NUMBER_PARTS(data, start)
    assert parts is not None
    for part in (1, 2, 3):
        if parts[part] == b"":
            raise expected("a digit", data, parts.start(part))
    return parts.end()


def _bad_escape(data: bytes, at: int) -> Exception:
    if data[at + 1 : at + 2] == b"u":
        return expected("four hexadecimal digits after `\\u`", data, at + 2)
    return expected('one of `"\\/bfnrtu` after the backslash', data, at + 1)


def _end(match: re.Match[bytes] | None) -> int:
    assert match is not None
    return match.end()
