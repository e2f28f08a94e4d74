"""Outputs between tags: the files that opencode reads, the background tasks of Claude Code."""

from __future__ import annotations

from ..text import first_bytes
from .slot import Slot, unless_blank

# How such a text starts, and the tags in it that hold payloads.
_TAGGED = [
    ("<path>", ["content", "entries"]),
    ("<file>\n", ["file"]),
    ("<retrieval_status>", ["output"]),
    ("<status>", ["stdout", "stderr"]),
]
_MAX_HEADING = 8 << 10
"""What stands before the first payload is no longer."""


def tagged(text: str) -> list[Slot] | None:
    tags = next((tags for start, tags in _TAGGED if text.startswith(start)), [])
    slots: list[Slot] = []
    at = 0
    for tag in tags:
        opening, closing = f"<{tag}>\n", f"\n</{tag}>"
        found = first_bytes(text[at : at + _MAX_HEADING], _MAX_HEADING).find(opening)
        start = at + found + len(opening)
        # The text may hold the same tag, but not behind its own end.
        end = text.rfind(closing, start)
        if found < 0 or end < 0:
            continue
        slots += unless_blank(text, start, end)
        at = end + len(closing)
    return slots if at else None
