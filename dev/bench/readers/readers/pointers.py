"""The words of pointers to earlier results."""

import re
from dataclasses import dataclass
from typing import Optional, Tuple

NUMBERED = re.compile(r"\[Forge same as lines (\d+)-(\d+) of (.+) above(?:, here (\d+)-(\d+))?\]")
QUOTED = re.compile(
    r"\[Forge same as (\d+) lines of (?:this call's (\S+)|(.+) above), from \"(.*)\" to \"(.*)\"(?:, here (\d+)-(\d+))?\]")
DUPLICATE = re.compile(r"\[Duplicate of (.+); see earlier result\]")
RUN = re.compile(r"(.+) \(run (\d+) of (\d+)\)")


class Unreadable(Exception):
    """A pointer that says something new or leads nowhere, or a text that cannot be laid beside its original."""


@dataclass
class Pointer:
    name: str
    run: Optional[Tuple[int, int]] = None
    is_own: bool = False
    numbers: Optional[Tuple[int, int]] = None
    quotes: Optional[Tuple[str, str]] = None
    count: Optional[int] = None  # None: the whole result
    here: Optional[Tuple[int, int]] = None


def is_pointer(line):
    return line.startswith("[Forge same as ") or DUPLICATE.fullmatch(line) is not None


def parse(line):
    def pair(first, last):
        return (int(first), int(last)) if first else None

    if match := NUMBERED.fullmatch(line):
        first, last, name, *here = match.groups()
        return named(name, numbers=pair(first, last), count=int(last) - int(first) + 1, here=pair(*here))
    if match := QUOTED.fullmatch(line):
        count, own, name, first, last, *here = match.groups()
        return named(own or name, is_own=bool(own), quotes=(first, last), count=int(count), here=pair(*here))
    if match := DUPLICATE.fullmatch(line):
        return named(match[1])
    raise Unreadable(f"not a pointer that is known: {line}")


def named(name, **rest):
    run = None
    if match := RUN.fullmatch(name):
        name, run = match[1], (int(match[2]), int(match[3]))
    return Pointer(name.strip("`"), run, **rest)
