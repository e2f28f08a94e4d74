"""Dictionaries: ``[Forge LZW Dictionary]``, entries such as ``<<F1:1>> = "..."``, and a text with their markers."""

from __future__ import annotations

import re

from .error import Unreadable
from .text import Writer

_STYLES = {"[Forge LZW Dictionary]\n": "F", "[Forge RePair Dictionary]\n": "R"}
_SALT = re.compile(r"<<([FR])([1-9][0-9]{0,18}):")
_STOP = re.compile(r'["\\\n\r]')
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r"}
_MAX_ENTRIES = 20


def is_written(text: str) -> bool:
    return text.startswith(tuple(_STYLES))


def decode(text: str, max_output: int) -> str:
    header = next(header for header in _STYLES if text.startswith(header))
    salt = _SALT.match(text, len(header))
    if not salt or salt[1] != _STYLES[header]:
        raise Unreadable
    opening, at = salt[0], len(header)
    entries: list[str] = []
    while len(entries) < _MAX_ENTRIES and text.startswith(f'{opening}{len(entries) + 1}>> = "', at):
        entry, at = _unquoted(text, text.index('"', at) + 1)
        if not entry or opening in entry:
            raise Unreadable
        entries.append(entry)
    if not entries:
        raise Unreadable
    out = Writer(max_output)
    marker = re.compile(rf"{opening}(?:([1-9][0-9]?)>>)?")
    for found in marker.finditer(text, at):
        number = int(found[1] or 0)
        if not 0 < number <= len(entries):
            raise Unreadable
        out.write(text[at : found.start()])
        out.write(entries[number - 1])
        at = found.end()
    out.write(text[at:])
    return out.text()


def _unquoted(text: str, at: int) -> tuple[str, int]:
    """The entry whose opening quote is before ``at``, and where the line after it begins."""
    pieces: list[str] = []
    while stop := _STOP.search(text, at):
        pieces.append(text[at : stop.start()])
        at = stop.end()
        if stop[0] == '"' and text.startswith("\n", at):
            return "".join(pieces), at + 1
        escaped = _ESCAPES.get(text[at : at + 1])
        if stop[0] != "\\" or escaped is None:
            break
        pieces.append(escaped)
        at += 1
    raise Unreadable
