"""Claude Code: blocks that are not to be touched, the exit code before an output and reminders behind it."""

from __future__ import annotations

import re

from ..text import WHITE, end_of
from .slot import Slot, unless_blank

_PERSISTED = ("<persisted-output>", "</persisted-output>")
_REMINDER = ("<system-reminder>", "</system-reminder>")
_EXIT_CODE = re.compile(r"Exit code [0-9]{1,9}\n")


def untouchable(text: str) -> list[Slot] | None:
    """An error in the use of a tool, and the preview of an output that Claude Code saved: both stay as they are."""
    start = text.lstrip(WHITE)
    if start.startswith("<tool_use_error>"):
        return []
    if not start.startswith(_PERSISTED[0]):
        return None
    end = text.rfind(_PERSISTED[1])
    return unless_blank(text, end + len(_PERSISTED[1]) if end >= 0 else len(text), len(text))


def reminders(text: str) -> list[Slot] | None:
    """Reminders to the model behind a result."""
    end = whole = end_of(text, len(text))
    while text.endswith(_REMINDER[1], 0, end):
        start = text.rfind(_REMINDER[0], 0, end - len(_REMINDER[1]))
        if start < 0:
            break
        end = end_of(text, start)
    return unless_blank(text, 0, end) if end < whole else None


def exit_code(text: str) -> list[Slot] | None:
    """The exit code of a command that failed."""
    code = _EXIT_CODE.match(text)
    return unless_blank(text, code.end(), len(text)) if code else None
