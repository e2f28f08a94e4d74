"""Unescaped strings: an output as its wrapper around ``…`` and the payloads behind it, as they are."""

from __future__ import annotations

import re
from typing import Callable

from .error import Unreadable
from .wrapper import change_payloads
from .wrapper.strings import STYLES

_HEAD = "[Forge … in the next "
_HEAD_LINE = re.compile(
    r"\[Forge … in the next (?:line|([0-9]{1,9}) lines) is the text below, unescaped(?: from ([^\]\n]+))?\]\n"
)
_PLACEHOLDER = "…"
_NEXT = "\n[Forge next text]\n"


def is_written(text: str) -> bool:
    return text.startswith(_HEAD)


def decode(text: str, restore: Callable[[str], str]) -> str:
    """The output with its payloads restored, and escaped again as their wrapper says."""
    head = _HEAD_LINE.match(text)
    if not head:
        raise Unreadable
    frame, rest = _split_lines(text[head.end() :], int(head[1] or 1))
    special = _special(head[2])
    places: list[str] = []

    def note(place: str) -> str:
        places.append(place)
        return place

    change_payloads(frame, note)
    payloads = [rest] if len(places) == 1 else rest.split(_NEXT)
    if len(payloads) != len(places) or any(place != _PLACEHOLDER for place in places):
        raise Unreadable
    restored = iter([restore(payload) for payload in payloads])
    return change_payloads(frame, lambda _: next(restored), special=special)


def _split_lines(text: str, lines: int) -> tuple[str, str]:
    end = -1
    for _ in range(lines):
        end = text.find("\n", end + 1)
        if end < 0:
            raise Unreadable
    if end < 0:
        raise Unreadable
    return text[:end], text[end + 1 :]


def _special(words: str | None) -> str:
    styles = words.split(", ") if words else []
    if any(style not in STYLES for style in styles):
        raise Unreadable
    return "".join(STYLES[style] for style in styles)
