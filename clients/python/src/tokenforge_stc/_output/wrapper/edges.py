"""Lines that clients put before or behind an output."""

from __future__ import annotations

from ..text import end_of, first_bytes
from .slot import Slot, unless_blank

# OpenHands and SWE-agent on a file they show.
_FIRST_LINES = [("Here's the result of running `cat -n` on ", ":"), ("[File: ", "]")]
# Qwen and Gemini on a file they cut.
_FIRST_BLOCKS = [
    ("Showing lines ", "\n\n---\n\n"),
    ("IMPORTANT: The file content has been truncated.\n", "--- FILE CONTENT (truncated) ---\n"),
]
_MAX_HEADING = 1024

_LAST_LINES = [
    # Copilot
    ("<shellId: ", ">"),
    ("<exited with exit code ", ">"),
    ("<command with shellId: ", ">"),
    # pi
    ("Command exited with code ", ""),
    ("Command timed out after ", " seconds"),
    ("[Showing lines ", "]"),
    # SWE-agent
    ("bash-$", ""),
    ("(Current directory: ", ")"),
    ("(Open file: ", ")"),
    # OpenHands
    ("[The command completed with exit code ", "]"),
    ("[Command finished with exit code ", "]"),
    ("[Python Interpreter: ", "]"),
    ("[Python interpreter: ", "]"),
    ("[Current working directory: ", "]"),
    # opencode
    ("(End of file - total ", ")"),
    ("(Showing lines ", ")"),
    ("</bash_metadata>", ""),
]
_MAX_LAST_LINES = 8


def first_lines(text: str) -> list[Slot] | None:
    """A heading that says how the output came about."""
    line, end, _ = text.partition("\n")
    line = line[:-1] if end and line.endswith("\r") else line
    if text and any(line.startswith(start) and line.endswith(last) for start, last in _FIRST_LINES):
        return unless_blank(text, min(len(line) + 1, len(text)), len(text))
    for start, last in _FIRST_BLOCKS:
        if text.startswith(start):
            found = first_bytes(text, _MAX_HEADING).find(last, len(start))
            return unless_blank(text, found + len(last), len(text)) if found >= 0 else None
    return None


def last_lines(text: str) -> list[Slot] | None:
    """Lines about the exit of a command or the end of a file."""
    end = whole = end_of(text, len(text))
    for _ in range(_MAX_LAST_LINES):
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end]
        if not line or not any(line.startswith(first) and line.endswith(last) for first, last in _LAST_LINES):
            break
        if line == "</bash_metadata>":
            start = text.rfind("<bash_metadata>", 0, end)
            start = end if start < 0 else start
        end = end_of(text, start)
    return unless_blank(text, 0, end) if end < whole else None
