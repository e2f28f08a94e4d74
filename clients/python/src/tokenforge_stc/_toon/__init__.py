"""TOON as Tokenforge writes it: two spaces a level, commas, and every string in the one spelling that it has."""

from __future__ import annotations

from .decode import decode_toon
from .encode import encode_toon
from .error import ToonError

__all__ = ["ToonError", "decode_toon", "encode_toon"]
