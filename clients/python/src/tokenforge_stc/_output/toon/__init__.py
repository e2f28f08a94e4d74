"""TOON as Tokenforge writes it: two spaces a level, commas, and every string in the one spelling that it has."""

from __future__ import annotations

from ..error import Unreadable
from .decode import decode
from .encode import encode

__all__ = ["decode", "written"]


def written(text: str, max_output: int) -> str | None:
    """The JSON of a text that is, character for character, what TOON makes of some object or array.

    Much text can be read as TOON; little of it would be written so.
    """
    try:
        json = decode(text, max_output)
        return json if encode(json) == text else None
    except Unreadable:
        return None
