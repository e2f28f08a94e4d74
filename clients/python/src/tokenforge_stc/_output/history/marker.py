"""The words of pointers and duplicate markers.

``[Forge same as lines 434-440 of src/main.rs above, here 440-446]``, or, where lines have no numbers,
``[Forge same as 38 lines of `cargo test` above, from "running 38 tests" to "test z ... ok"]``.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from ..text import SIGNATURE, WHITE
from .name import BEHIND

OPENING = "[Forge same as "

_OWN = "this call's "
_LONGEST_QUOTE = 48
_BETWEEN = '" to "'
_FROM = ', from "'
_HERE = re.compile(r", here [0-9]{1,10}-[0-9]{1,10}\Z")
_NUMBERED = re.compile(r"lines ([0-9]{1,10})-([0-9]{1,10}) of (.*)", re.DOTALL)
_COUNTED = re.compile(r"([0-9]{1,18}) lines of (.*)", re.DOTALL)
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_DUPLICATE = re.compile(r"\[Duplicate of ([^\n]*); see earlier result\]")
_RUN = re.compile(r"(.*) \(run ([0-9]{1,18}) of [0-9]{1,18}\)", re.DOTALL)


class Pointer(NamedTuple):
    """What stands for lines that were shown before: those with these numbers, or so many from one to another."""

    name: str
    is_own: bool
    """Are the lines in the arguments of the call itself?"""
    numbers: Optional[tuple[int, int]] = None
    lines: int = 0
    first: str = ""
    last: str = ""


def is_pointer(line: str) -> bool:
    """Is a line a pointer, or made to look like one?"""
    return line.startswith(OPENING)


def has_pointers(text: str) -> bool:
    """Does a text lead to other results?"""
    return duplicated(text) is not None or text.startswith(OPENING) or f"\n{OPENING}" in text


def duplicated(text: str) -> str | None:
    """The name in a marker of a whole duplicate."""
    found = _DUPLICATE.fullmatch(text)
    return found[1] if found else None


def parse(line: str) -> Pointer | None:
    if not line.startswith(OPENING) or not line.endswith("]"):
        return None
    rest = _HERE.sub("", line[len(OPENING) : -1])
    if numbered := _NUMBERED.fullmatch(rest):
        name = _without(numbered[3], BEHIND)
        return None if name is None else Pointer(name, False, (int(numbered[1]), int(numbered[2])))
    counted = _COUNTED.fullmatch(rest)
    name, found, quotes = counted[2].partition(_FROM) if counted else ("", "", "")
    first, between, last = quotes.partition(_BETWEEN)
    if not counted or not found or not between or not last.endswith('"'):
        return None
    above = _without(name, BEHIND)
    if above is None and not name.startswith(_OWN):
        return None
    named = name[len(_OWN) :] if above is None else above
    return Pointer(named, above is None, None, int(counted[1]), first, last[:-1])


def _without(name: str, suffix: str) -> str | None:
    return name[: -len(suffix)] if name.endswith(suffix) else None


def split_run(name: str) -> tuple[str, int | None]:
    """A name without the run behind it, and which run of a command that is, counted from one."""
    found = _RUN.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, None)


def quote(line: str) -> str | None:
    """How a line is quoted, if it can be: without its indentation, and cut if it is long."""
    line = line.strip(WHITE)
    is_plain = line and not line.startswith(SIGNATURE) and not line.endswith("…")
    if not is_plain or _BETWEEN in line or _FROM in line or _CONTROL.search(line):
        return None
    return line if len(line) <= _LONGEST_QUOTE else line[:_LONGEST_QUOTE].rstrip(WHITE) + "…"
