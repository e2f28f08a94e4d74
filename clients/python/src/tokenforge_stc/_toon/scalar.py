"""Keys and scalars of TOON, and what they are in JSON."""

from __future__ import annotations

import json
import re

from .error import ToonError

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
_SPECIAL = re.compile(r'["\\\x00-\x1f]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def _end_at(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The offset behind what an expression matches at another."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _string_end(text: str, at: int) -> int:
    """Behind the string whose opening quote is at an offset. In rounds: an expression would keep state for each."""
    end = at + 1
    while True:
        stop = _end_at(_PLAIN, text, end)
        end = _end_at(_ESCAPE, text, stop)
        if end == stop:
            break
    if not text.startswith('"', stop):
        raise ToonError("a string does not end")
    return stop + 1


def key_at(text: str, at: int) -> str:
    """The key at an offset, as it is written; empty if there is none."""
    return text[at : _string_end(text, at) if text.startswith('"', at) else _end_at(_BARE_KEY, text, at)]


def to_json(scalar: str) -> str:
    """A scalar as JSON writes it."""
    if scalar.startswith('"'):
        if _string_end(scalar, 0) < len(scalar):
            raise ToonError("something stands behind a string")
        return _RESPELLED.sub(lambda escape: _TO_JSON.get(escape[0], escape[0]), scalar)
    if _LITERAL.fullmatch(scalar):
        return scalar
    if _NEEDS_QUOTES.fullmatch(scalar):
        raise ToonError("a string needs quotes")
    return f'"{scalar}"'


def key_to_json(key: str) -> str:
    return to_json(key) if key.startswith('"') else f'"{key}"'


def cells(text: str, at: int) -> list[str]:
    """The values between commas, as JSON."""
    values: list[str] = []
    while True:
        end = _string_end(text, at) if text.startswith('"', at) else _end_at(_BARE_CELL, text, at)
        if text[end : end + 1] not in ("", ","):
            raise ToonError("expected `,` between values")
        values.append(to_json(text[at:end]))
        if end == len(text):
            return values
        at = end + 1


def string_value(string: str) -> str:
    """The value of a string of JSON. TOON has no escape for half a character."""
    if "\\" not in string:
        return string[1:-1]
    text: str = json.loads(string)
    lone = _SURROGATE.search(text)
    if lone:
        raise ToonError(f"TOON cannot hold the lone surrogate U+{ord(lone[0]):04X}")
    return text


def from_json(scalar: str) -> str:
    """A scalar of JSON as TOON writes it."""
    if not scalar.startswith('"'):
        return scalar
    text = string_value(scalar)
    return quoted(text) if _NEEDS_QUOTES.fullmatch(text) else text


def key_from_json(key: str) -> str:
    text = string_value(key)
    return text if _BARE_KEY.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    return '"' + _SPECIAL.sub(lambda special: _ESCAPES.get(special[0], f"\\u{ord(special[0]):04x}"), text) + '"'
