"""JSON in a form: STC of either version, a typed table or TOON, and JSON lines written as one array."""

from __future__ import annotations

import re

from .._decode import decode_stc
from .._encode import Spelling, encode_stc
from .._error import StcError
from .._json import parse
from .._stc2.decode import is_stc2
from . import table, toon
from .error import Unreadable

LINES = "[Forge JSON lines as one array]\n"

_SPELLINGS: list[Spelling] = ["dense", "flat"]

_ELEMENT = re.compile(r'"|[\[\]{},]')
_STRING_END = re.compile(r'[^"\\]*(?:\\.[^"\\]*){0,1000}("?)')


def form(text: str, max_output: int) -> str | None:
    """The JSON of a text that is an object or array in a form other than JSON, known by writing it once more."""
    first, end, body = text.partition("\n")
    if is_stc2((first + end).encode()) and body.strip():
        return decode_any(text, max_output)
    if not text or _is_json(text):
        return None
    if text[0] in "{[":
        if (json := _stc(text, max_output)) and any(encode_stc(json, spelling=how) == text for how in _SPELLINGS):
            return json
        # A header and as many rows as it says is nothing else.
        if not text.endswith("\n") and (json := _table(text, max_output)):
            return json
    return toon.written(text, max_output)


def decode_any(text: str, max_output: int) -> str:
    """Reads a text that is in some form."""
    json = _stc(text, max_output) or _table(text, max_output)
    return toon.decode(text, max_output) if json is None else json


def decode_lines(text: str, max_output: int) -> str:
    """The lines that became one array."""
    array = decode_any(text[len(LINES) :], max_output)
    if not array.startswith("["):
        raise Unreadable
    return "\n".join(_elements(array)) + ("\n" if text.endswith("\n") else "")


def _is_json(text: str) -> bool:
    if text.lstrip(" \t\n\r\f")[:1] not in ("{", "["):
        return False
    try:
        parse(text.encode())
    except StcError:
        return False
    return True


def _stc(text: str, max_output: int) -> str | None:
    try:
        return decode_stc(text, max_output=max_output)
    except StcError:
        return None


def _table(text: str, max_output: int) -> str | None:
    try:
        return table.decode(text, max_output)
    except Unreadable:
        return None


def _elements(array: str) -> list[str]:
    """The elements of a minified array."""
    elements: list[str] = []
    depth, start, at = 0, 1, 0
    while found := _ELEMENT.search(array, at):
        at = found.end()
        if found[0] == '"':
            at = string_end(array, at)
        elif found[0] in "[{":
            depth += 1
        elif found[0] in "]}":
            depth -= 1
        if depth == 0 or (depth == 1 and found[0] == ","):
            elements.append(array[start : found.start()])
            start = at
    return elements


def string_end(text: str, at: int) -> int:
    """Behind the quote that closes a string. In rounds, since the engine keeps state for each repetition."""
    while (found := _STRING_END.match(text, at)) and found.end() > at:
        at = found.end()
        if found[1]:
            break
    return at
