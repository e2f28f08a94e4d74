"""A result laid beside its original: which lines are shown, and which are behind pointers."""

import re
from dataclasses import dataclass

from .pointers import Pointer, Unreadable, is_pointer, parse

ANNOUNCEMENT = re.compile(r"\[Forge lines (\d+)-(\d+), ")
COLUMN = re.compile(r"\s*(\d+)(?:→|\t)")


@dataclass
class Span:
    """A pointer and the lines of the original that it replaced."""

    pointer: Pointer
    start: int
    count: int

    def __contains__(self, line):
        return self.start <= line < self.start + self.count


def bare(line):
    """A line without the number before it."""
    match = COLUMN.match(line)
    return line[match.end():] if match else line


def number(line):
    match = COLUMN.match(line)
    return int(match[1]) if match else None


@dataclass
class Reading:
    """A result laid beside its original, line by line."""

    lines: list  # of the original, without number columns
    numbers: list  # of the file, or None
    spans: list

    def is_visible(self, line):
        return not any(line in span for span in self.spans)


def lay(call):
    """Which lines of a result are shown, and which are behind pointers."""
    original = call.original.split("\n")
    has_column = ANNOUNCEMENT.search(call.forwarded) is not None
    lines = [bare(line) if has_column else line for line in original]
    numbers = [number(line) if has_column else None for line in original]
    spans, at = [], 0
    for line in call.forwarded.split("\n"):
        if ANNOUNCEMENT.match(line):
            continue
        if is_pointer(line):
            pointer = parse(line)
            count = len(original) if pointer.count is None else pointer.count
            spans.append(Span(pointer, at, count))
            at += count
            continue
        shown = original[at] if at < len(original) else None
        if shown is None or line.rstrip() not in (shown.rstrip(), lines[at].rstrip(), unpadded(shown)):
            raise Unreadable(f"line {at + 1} of the original is not where it should be: {line[:60]!r}")
        at += 1
    if at != len(original):
        raise Unreadable(f"{len(original) - at} lines of the original are missing")
    return Reading(lines, numbers, spans)


def unpadded(line):
    return line.strip(" \t") if COLUMN.match(line) else line.rstrip()
