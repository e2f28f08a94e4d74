"""The result of an MCP tool as Python prints it: ``[TextContent(type='text', text='...', annotations=None)]``."""

from __future__ import annotations

import re

from ..text import first_bytes
from .slot import Slot

_STARTS = ("[TextContent(", "TextContent(", "meta=", "_meta=", "content=[TextContent(", "CallToolResult(")
_TEXT = "TextContent(type='text', text="
_MAX_HEADING = 256
"""The first block starts no later."""
_STOPS = {quote: re.compile(rf"[{quote}\\]") for quote in "'\""}


def python(text: str) -> list[Slot] | None:
    if not text.startswith(_STARTS) or _TEXT not in first_bytes(text, _MAX_HEADING):
        return None
    slots: list[Slot] = []
    at = 0
    while (found := text.find(_TEXT, at)) >= 0:
        opening = found + len(_TEXT)
        quote = text[opening : opening + 1]
        if quote not in _STOPS:
            return None
        at = _end_of_string(text, opening + 1, quote)
        slots.append(Slot(opening + 1, at, quote))
    return slots


def _end_of_string(text: str, at: int, quote: str) -> int:
    """Where the closing quote stands; in a text that was cut there may be none."""
    while stop := _STOPS[quote].search(text, at):
        if stop[0] == quote:
            return stop.start()
        at = stop.end() + 1
    return len(text)
