"""Codex: a header of a few lines, ``Output:``, and a warning where Codex itself cut the output."""

from __future__ import annotations

from .slot import Slot, unless_blank

_HEADER = (
    "Chunk ID: ",
    "Wall time: ",
    "Wall time ",
    "Exit code: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Total output lines: ",
    "Script completed",
    "Script failed",
    "Script running",
)
_OUTPUT = "Output:"
_WARNING = ("Warning: truncated output ", "Total output lines: ")
_MAX_LINES = 12


def header(text: str) -> list[Slot] | None:
    at = 0
    for number in range(_MAX_LINES):
        line, behind = _line(text, at)
        if line == _OUTPUT:
            return unless_blank(text, _without_warning(text, behind), len(text)) if number else None
        if not line.startswith(_HEADER):
            return None
        at = behind
    return None


def _without_warning(text: str, start: int) -> int:
    """The warning ends with an empty line."""
    at = start
    while text.find("\n", at) >= 0:
        line, behind = _line(text, at)
        if not line and at > start:
            return behind
        if not line.startswith(_WARNING):
            break
        at = behind
    return start


def _line(text: str, at: int) -> tuple[str, int]:
    """The line at an offset, and where the next begins."""
    end = text.find("\n", at)
    return (text[at:], len(text)) if end < 0 else (text[at:end], end + 1)
