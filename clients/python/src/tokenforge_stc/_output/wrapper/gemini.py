"""Gemini CLI and Qwen Code: the report of a shell command, and the marks around what is not to be trusted."""

from __future__ import annotations

from ..text import first_bytes
from .slot import Slot, unless_blank

_CONTEXT = ("<untrusted_context>\n", "\n</untrusted_context>")
_FOOTER = ("Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: ")
_OUTPUT = "Output: "
_MAX_HEADING = 64 << 10
"""A command and its folder are no longer."""


def untrusted_context(text: str) -> list[Slot] | None:
    """Every block between the marks; what stands between blocks stays."""
    if not text.startswith(_CONTEXT[0]):
        return None
    slots: list[Slot] = []
    at = 0
    while (opening := text.find(_CONTEXT[0], at)) >= 0:
        start = opening + len(_CONTEXT[0])
        end = text.find(_CONTEXT[1], start)
        if end < 0:
            break
        inside = _reported(text[start:end]) or (0, end - start)
        slots += unless_blank(text, start + inside[0], start + inside[1])
        at = end + len(_CONTEXT[1])
    return slots if at else None


def report(text: str) -> list[Slot] | None:
    """``Command: ...``, ``Directory: ...``, ``Output: ...`` and a footer."""
    reported = _reported(text) if text.startswith("Command: ") else None
    return unless_blank(text, *reported) if reported else None


def _reported(text: str) -> tuple[int, int] | None:
    start = 0
    if text.startswith("Command: "):
        heading = first_bytes(text, _MAX_HEADING)
        folder = heading.find("\nDirectory: ")
        start = heading.find("\nOutput: ", folder + 1) + 1
        if folder < 0 or not start:
            return None
    if not text.startswith(_OUTPUT, start):
        return None
    start += len(_OUTPUT)
    end = len(text)
    for _ in _FOOTER:
        line = text.rfind("\n", start, end)
        if line < 0 or not text.startswith(_FOOTER, line + 1, end):
            break
        end = line
    return start, end
