"""What is a bare word, and which strings and keys need no quotes."""

from __future__ import annotations

import re

from .. import _lexeme

_STOPS = rb'\x00-\x20"\\()\[\]{}'
_BARE = b"[^" + _STOPS + b"]"

BARE = re.compile(_BARE + b"*").match
"""A bare word, or nothing."""

KEY = re.compile(b"[^" + _STOPS + b":=?+]*").match
"""A bare key, or nothing."""

VALUE = re.compile(
    b"(" + _lexeme.NUMBER_PATTERN + b"(?=[" + _STOPS + rb"]|\Z)|" + _lexeme.STRING_PATTERN + b")|(" + _BARE + b"+)"
).match
"""The first group is copied as it is, the second is a bare word."""

IDENT = re.compile(_lexeme.IDENT_PATTERN).match
TABLE = re.compile(rb"(?:\[([1-9][0-9]*)\]|\{([1-9][0-9]*)\})\{").match
"""The start of a table or map, up to its columns."""

NUMBERED = re.compile(rb"[&*]([1-9][0-9]*)").match
INTEGER = re.compile(rb"-?([0-9]*)").match

_is_bare_text = re.compile(b"(?![&*])" + _BARE + b"+").fullmatch
_is_bare_tail = re.compile(b"(?![0-9])" + _BARE + b"+").fullmatch
_is_bare_key = re.compile(b"(?![&*])[^" + _STOPS + b":=?+]+").fullmatch
_is_ident = re.compile(_lexeme.IDENT_PATTERN).fullmatch
_is_number = re.compile(_lexeme.NUMBER_PATTERN).fullmatch

_MARKS = frozenset([b"-", b"^", b"|", b"null"])
_LITERALS = frozenset([b"true", b"false"])


def is_number(text: bytes) -> bool:
    """Is a text a number as JSON writes it?"""
    return _is_number(text) is not None


def is_ident(text: bytes) -> bool:
    """Can templates use this name?"""
    return _is_ident(text) is not None


def is_bare(text: bytes) -> bool:
    """Can the text of a string stand without quotes as a value?"""
    return is_bare_text(text) and text not in _LITERALS and not is_number(text)


def is_bare_text(text: bytes) -> bool:
    """Can a text stand without quotes in a column that holds text only?"""
    return _is_bare_text(text) is not None and text not in _MARKS


def is_bare_tail(text: bytes) -> bool:
    """Can a text stand without quotes right behind a reference?"""
    return _is_bare_tail(text) is not None


def spelled_key(key: bytes) -> bytes:
    """A key as it is written, without quotes if it needs none."""
    return key[1:-1] if _is_bare_key(key[1:-1]) else key


def count(digits: bytes) -> int:
    """The value of digits. No text has 10**19 values, and Python refuses to convert thousands of digits."""
    return int(digits) if len(digits) < 20 else 2**64 - 1
