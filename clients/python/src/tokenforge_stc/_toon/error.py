"""Why a text cannot be read as TOON, or written as TOON."""

from __future__ import annotations


class ToonError(ValueError):
    """A text is not TOON as Tokenforge writes it, or is beyond a limit; or TOON cannot hold a JSON value.

    >>> from tokenforge_stc import decode_toon
    >>> decode_toon("a[3]: 1,2")
    Traceback (most recent call last):
    tokenforge_stc._toon.error.ToonError: line 1 cannot be read as TOON: expected 3 values as declared, found 2
    """
