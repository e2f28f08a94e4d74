"""Where a wrapper holds its payloads, and how they are written there."""

from __future__ import annotations

from typing import NamedTuple

from ..text import WHITE


class Slot(NamedTuple):
    """A place in a text that holds a payload."""

    start: int
    end: int
    quote: str = ""
    """How it is written: ``{`` between the quotes of a JSON string, ``'`` or ``"`` between these of a Python string."""


def unless_blank(text: str, start: int, end: int) -> list[Slot]:
    """A payload as it is, or nothing to be touched where there is only white space."""
    return [Slot(start, end)] if text[start:end].strip(WHITE) else []
