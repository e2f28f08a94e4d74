"""What a client puts around a tool's output, taken off and put back.

A payload may have been written as a JSON or Python string; it is changed unescaped and escaped again. What would not
come back byte for byte is not taken apart.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

from . import claude, codex, edges, envelope, gemini, strings, tags, text_content
from .slot import Slot

# In the order in which they are tried. Each says where the payloads are in a text that it knows.
_WRAPPERS: list[Callable[[str], "list[Slot] | None"]] = [
    claude.untouchable,
    claude.reminders,
    claude.exit_code,
    codex.header,
    edges.first_lines,
    edges.last_lines,
    gemini.untrusted_context,
    gemini.report,
    tags.tagged,
    envelope.json,
    text_content.python,
]
_MAX_LEVELS = 6
"""How many wrappers may lie inside each other."""
_MAX_STRINGS = 2
"""How many of them may be strings inside strings."""
_LONGEST_ESCAPE = 12
"""``\\ud83d\\ude00`` and ``\\U0001f600``."""
_MAX_CUTS = 4
"""Two halves of a pair, and a backslash that belongs to the one before it."""


class _Payload(NamedTuple):
    start: int
    end: int
    text: str
    encode: "strings.Encode | None"


def change_payloads(
    text: str,
    change: Callable[[str], str],
    levels: int = _MAX_LEVELS,
    nested: int = _MAX_STRINGS,
    special: str = "",
) -> str:
    """The text with its payloads changed. Without a known wrapper all of it is one.

    ``special`` are characters that its JSON strings escape beyond those that they have to and that they are seen to.
    """
    payloads = _payloads(text, nested, special) if levels else None
    if payloads is None:
        return change(text) if text else text
    pieces: list[str] = []
    at = 0
    for start, end, payload, encode in payloads:
        changed = change_payloads(payload, change, levels - 1, nested - 1 if encode else nested, special)
        pieces += text[at:start], encode(changed) if encode else changed
        at = end
    return "".join(pieces) + text[at:]


def _payloads(text: str, nested: int, special: str) -> list[_Payload] | None:
    """The payloads of the first wrapper that knows the text and whose strings would all come back."""
    for wrapper in _WRAPPERS:
        slots = wrapper(text)
        if slots is not None:
            payloads = [_payload(text, slot, nested, special) for slot in slots]
            whole = [payload for payload in payloads if payload]
            if len(whole) == len(payloads):
                return whole
    return None


def _payload(text: str, slot: Slot, nested: int, special: str) -> _Payload | None:
    start, end, quote = slot
    if not quote:
        return _Payload(start, end, text[start:end], None)
    # Where the client cut the text inside an escape, that escape is not part of the payload.
    for _ in range(_MAX_CUTS if nested else 0):
        decoded = strings.decode(text[start:end], quote, special)
        if decoded:
            return _Payload(start, end, *decoded)
        end = text.rfind("\\", max(len(text) - _LONGEST_ESCAPE, start), end)
        if end < 0:
            break
    return None
