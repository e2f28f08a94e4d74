"""Timestamps, which are one value although they may contain blanks."""

from __future__ import annotations

import re

_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}/[0-9]{2}/[0-9]{2}|[0-9]{2}/[A-Za-z]{3}/[0-9]{4}|[0-9]{2}/[0-9]{2}/[0-9]{4}"
)
_DIGIT = re.compile(r"[0-9]")
_DAY = re.compile(r"Mon|Tue|Wed|Thu|Fri|Sat|Sun")
_SEPARATOR = re.compile(r",? ")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_SHORT_DATE = re.compile(rf"{_MONTH} (?:[0-9]{{2}}| [0-9]|[0-9])")
_LONG_DATE = re.compile(rf"[0-9]{{1,2}} {_MONTH} [0-9]{{4}}")
_YEAR = re.compile(r" {1,2}[0-9]{4}")
_CLOCK = re.compile(r"(?:[0-9]{2}|[0-9]):[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?")
_ZONE = re.compile(r"Z| ?[+-][0-9]{2}:?[0-9]{2}| UTC| GMT")
_SECONDS = re.compile(r"[0-9]{10}\.[0-9]+")
_IN_WORD = re.compile(r"[A-Za-z0-9_]|[^\0-\x7f]")


def timestamp(text: str, at: int) -> int | None:
    """Where the timestamp ends that begins at an offset: a date and a time of day, or either of them."""
    end = _dated(text, at)
    if end is None and (clock := _clock(text, at)):
        end = _zone(text, clock)
    if end is None and (seconds := _SECONDS.match(text, at)):
        end = seconds.end()
    return end if end is not None and _ends(text, end) else None


def _dated(text: str, at: int) -> int | None:
    if date := _DATE.match(text, at):
        end = date.end()
        clock = _clock(text, end + 1) if text[end : end + 1] in ("T", "t", " ", ":") else None
        return _zone(text, clock) if clock else end
    if _DIGIT.match(text, at):
        return None
    if _DAY.match(text, at):
        separator = _SEPARATOR.match(text, at + 3)
        if not separator:
            return None
        at = separator.end()
    short, long = _SHORT_DATE.match(text, at), _LONG_DATE.match(text, at)
    written = short or long
    if not written:
        return None
    before = end = written.end()
    if text.startswith(" ", end):
        end = _clock(text, end + 1) or end
    if (year := _YEAR.match(text, end)) and _ends(text, year.end()):
        end = year.end()
    # `May 6` alone are two words.
    return _zone(text, end) if end > before or long else None


def _clock(text: str, at: int) -> int | None:
    found = _CLOCK.match(text, at)
    return found.end() if found and not _DIGIT.match(text, found.end()) else None


def _zone(text: str, at: int) -> int:
    """Behind a time zone that follows, if one does."""
    zone = _ZONE.match(text, at)
    return zone.end() if zone and _ends(text, zone.end()) else at


def _ends(text: str, at: int) -> bool:
    """Does no word go on here?"""
    return _IN_WORD.match(text, at) is None
