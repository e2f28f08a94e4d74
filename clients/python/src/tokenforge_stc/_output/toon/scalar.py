"""Keys and scalars of TOON, and what they are in JSON."""

from __future__ import annotations

import re

from ..error import Unreadable
from ..text import end_at

_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
# Of the control characters three have escapes of their own.
_ESCAPE = re.compile(r'\\(?:["\\nrt]|u00(?:0[0-8bcef]|1[0-9a-f]))')
_BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_BARE_CELL = re.compile(r'[^,"]*')
_LITERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")

# A string that is none of these may stand without quotes.
_NEEDS_QUOTES = re.compile(
    r"""|.*[,:\[\]{}"\\\x00-\x1f].*|[ \-#].*|.* |true|false|null|\+?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?""", re.DOTALL
)
_RESPELLED = re.compile(r"\\(?:u0008|u000c|[^u])")
_TO_JSON = {"\\u0008": "\\b", "\\u000c": "\\f"}
_FROM_JSON = {json: toon for toon, json in _TO_JSON.items()}


def _string_end(text: str, at: int) -> int:
    """Behind the string whose opening quote is at an offset. In rounds: an expression would keep state for each."""
    end = at + 1
    while True:
        stop = end_at(_PLAIN, text, end)
        end = end_at(_ESCAPE, text, stop)
        if end == stop:
            break
    if not text.startswith('"', stop):
        raise Unreadable
    return stop + 1


def key_at(text: str, at: int) -> str:
    """The key at an offset, as it is written; empty if there is none."""
    return text[at : _string_end(text, at) if text.startswith('"', at) else end_at(_BARE_KEY, text, at)]


def to_json(scalar: str) -> str:
    """A scalar as JSON writes it."""
    if scalar.startswith('"'):
        if _string_end(scalar, 0) < len(scalar):
            raise Unreadable
        return _RESPELLED.sub(lambda escape: _TO_JSON.get(escape[0], escape[0]), scalar)
    if _LITERAL.fullmatch(scalar):
        return scalar
    if _NEEDS_QUOTES.fullmatch(scalar):
        raise Unreadable
    return f'"{scalar}"'


def key_to_json(key: str) -> str:
    return to_json(key) if key.startswith('"') else f'"{key}"'


def cells(text: str, at: int) -> list[str]:
    """The values between commas, as JSON."""
    values: list[str] = []
    while True:
        end = _string_end(text, at) if text.startswith('"', at) else end_at(_BARE_CELL, text, at)
        if text[end : end + 1] not in ("", ","):
            raise Unreadable
        values.append(to_json(text[at:end]))
        if end == len(text):
            return values
        at = end + 1


def from_json(scalar: str) -> str:
    """A scalar of JSON as TOON writes it."""
    if not scalar.startswith('"'):
        return scalar
    if _NEEDS_QUOTES.fullmatch(scalar, 1, len(scalar) - 1):
        return _RESPELLED.sub(lambda escape: _FROM_JSON.get(escape[0], escape[0]), scalar)
    return scalar[1:-1]


def key_from_json(key: str) -> str:
    if _BARE_KEY.fullmatch(key, 1, len(key) - 1):
        return key[1:-1]
    return _RESPELLED.sub(lambda escape: _FROM_JSON.get(escape[0], escape[0]), key)
