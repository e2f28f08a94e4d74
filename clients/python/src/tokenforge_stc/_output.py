"""Compressed tool outputs, restored: the notations whose lines say for themselves what they stand for."""

from __future__ import annotations

import re
from typing import Callable

from ._decode import MAX_OUTPUT, decode_stc
from ._encode import encode_stc
from ._error import StcError
from ._stc2.decode import is_stc2

_MAX_ENTRIES = 20


class OutputError(ValueError):
    """A compressed output cannot be restored from itself: it is damaged, or not all of it is there."""


def decode_output(text: str, *, max_output: int = MAX_OUTPUT) -> str:
    """What a compressed tool output stands for; a text that nothing changed is given back as it is.

    >>> decode_output("a\\n[Forge the line above 2 more times]\\nb\\n")
    'a\\na\\na\\nb\\n'

    Read are thinned number columns, folded lines, dictionaries, JSON lines and STC. Templates, patterns, path headings
    and pointers are for ``tokenforge decode``, and are an error here, as is a text of which something was left out.
    Raises :class:`OutputError`.
    """
    for start, what in _ELSEWHERE:
        if text.startswith(start) or f"\n{start}" in text:
            raise OutputError(f"{what} are read by `tokenforge decode`")
    for decode in _READERS:
        text = decode(text, max_output)
        if len(text.encode()) > max_output:
            raise OutputError(f"more than {max_output} bytes")
    return text


_ELSEWHERE = [
    ("[Forge templates: ", "templates"),
    ("[Forge patterns", "patterns"),
    ("[Forge paths", "path headings"),
    ("[Forge matches", "path headings"),
    ("[Forge same as ", "pointers to earlier results"),
    ("[Duplicate of ", "pointers to earlier results"),
    ("<<<SHADOW:", "references to what was left out"),
]


def _lines(text: str) -> tuple[list[str], str]:
    """The lines of a text, and what ends the last one."""
    if text.endswith("\n"):
        return text[:-1].split("\n"), "\n"
    return text.split("\n"), ""


# Dictionaries: `[Forge LZW Dictionary]`, entries, and a text with markers.

_DICTIONARY = re.compile(r"\[Forge (?:LZW|RePair) Dictionary\]\n(?=<<([FR][1-9][0-9]*):1>> = \")")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r"}


def _dictionary(text: str, max_output: int) -> str:
    header = _DICTIONARY.match(text)
    if not header:
        return text
    salt, at = header[1], header.end()
    entries: list[str] = []
    while len(entries) < _MAX_ENTRIES:
        opening = f'<<{salt}:{len(entries) + 1}>> = "'
        if not text.startswith(opening, at):
            break
        entry = re.compile(r'((?:[^"\\\n\r]|\\["\\nr])+)"\n').match(text, at + len(opening))
        if not entry:
            raise OutputError(f"entry {len(entries) + 1} of the dictionary cannot be read")
        entries.append(re.sub(r"\\(.)", lambda escape: _ESCAPES[escape[1]], entry[1]))
        at = entry.end()
    pieces: list[str] = []
    size, marker = 0, re.compile(rf"<<{salt}:(?:([1-9][0-9]*)>>)?")
    while found := marker.search(text, at):
        number = int(found[1] or 0)
        if not 0 < number <= len(entries):
            raise OutputError(f"the dictionary has no entry for {found[0]}")
        pieces += text[at : found.start()], entries[number - 1]
        size += len(pieces[-1]) + len(pieces[-2])
        if size > max_output:
            raise OutputError(f"more than {max_output} bytes")
        at = found.end()
    return "".join(pieces) + text[at:]


# Folded lines: `[Forge the 2 lines above 3 more times]`, `[Forge 5 lines again from: NAME]`.

_ABOVE = re.compile(r"\[Forge the (?:line|([1-9][0-9]*) lines) above (?:once more|([1-9][0-9]*) more times)\]")
_AGAIN = re.compile(r"\[Forge ([1-9][0-9]*) lines again from: (.*)\]")
_LONGEST_NAME = 48


def _name(line: str) -> str:
    """A line is known by its first bytes."""
    return line.rstrip("\r").encode()[:_LONGEST_NAME].decode(errors="ignore")


def _folded(text: str, max_output: int) -> str:
    if "[Forge " not in text:
        return text
    given, end = _lines(text)
    lines: list[str] = []
    firsts: dict[str, int] = {}
    size = 0
    for line in given:
        if above := _ABOVE.fullmatch(line):
            count, times = int(above[1] or 1), int(above[2] or 1)
            block = lines[len(lines) - count :] if count <= len(lines) else []
        elif again := _AGAIN.fullmatch(line):
            count, times = int(again[1]), 1
            first = firsts.get(again[2], len(lines))
            block = lines[first : first + count]
        else:
            firsts.setdefault(_name(line), len(lines))
            count, times, block = 1, 1, [line]
        if len(block) != count:
            raise OutputError(f"there are no such lines: {line}")
        size += times * sum(len(one) + 1 for one in block)
        if size > max_output + 1:
            raise OutputError(f"more than {max_output} bytes")
        lines += block * times
    return "\n".join(lines) + end


# Number columns: `[Forge lines 1-46, every 10th numbered]`, then the lines.

_ANNOUNCED = re.compile(r"\[Forge lines ([0-9]+)-([0-9]+), every 10th numbered(?: as N(.+)text)?\]", re.DOTALL)
_COLUMN = re.compile(r"( *)([0-9]+)(→|\t|\|| \||:|  )")
_WIDEST = 9


def _numbered(text: str, _: int) -> str:
    if "[Forge lines " not in text:
        return text
    given, end = _lines(text)
    lines: list[str] = []
    at = 0
    while at < len(given):
        line = given[at]
        at += 1
        if not line.startswith("[Forge lines "):
            lines.append(line)
            continue
        announced = _ANNOUNCED.fullmatch(line)
        column = _COLUMN.match(given[at]) if at < len(given) else None
        if not announced or not column:
            raise OutputError(f"the column of numbers cannot be read: {line}")
        first, last = int(announced[1]), int(announced[2])
        blanks, digits, separator = column[1], column[2], column[3]
        width = len(blanks) + len(digits)
        if int(digits) != first or width > _WIDEST or at + last - first >= len(given):
            raise OutputError(f"the column of numbers cannot be read: {line}")
        is_text = announced[3] is not None
        if not is_text and separator[-1] in ":|" and given[at].startswith(" ", column.end()):
            separator += " "
        padding = "0" if not blanks and len(digits) > 1 and digits[0] == "0" else " "
        lines.append(given[at])
        for number in range(first + 1, last + 1):
            at += 1
            shown = f"{number}{separator}" if number % 10 == 0 else ""
            if not given[at].startswith(shown):
                raise OutputError(f"line {number} should show its number")
            lines.append(str(number).rjust(width, padding) + separator + given[at][len(shown) :])
        at += 1
    return "\n".join(lines) + end


# JSON: lines as one array, or a document in STC.

_JSON_LINES = "[Forge JSON lines as one array]\n"
_ELEMENT = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')


def _json(text: str, max_output: int) -> str:
    if text.startswith(_JSON_LINES):
        try:
            array = decode_stc(text[len(_JSON_LINES) :], max_output=max_output)
        except StcError as wrong:
            raise OutputError(f"JSON lines that are not in STC are read by `tokenforge decode`: {wrong}") from None
        return "\n".join(_elements(array)) + ("\n" if text.endswith("\n") else "")
    first, end, _ = text.partition("\n")
    if is_stc2((first + end).encode(errors="replace")):
        return decode_stc(text, max_output=max_output)
    try:
        decoded = decode_stc(text, max_output=max_output)
    except StcError:
        return text
    is_stc = decoded[:1] in ("{", "[") and encode_stc(decoded, spelling="dense") == text
    return decoded if is_stc else text


def _elements(array: str) -> list[str]:
    """The elements of a minified array."""
    elements: list[str] = []
    depth, start = 0, 1
    for found in _ELEMENT.finditer(array):
        if found[0] in ("[", "{"):
            depth += 1
        elif found[0] in ("]", "}"):
            depth -= 1
        if depth == 0 or (depth == 1 and found[0] == ","):
            elements.append(array[start : found.start()])
            start = found.end()
    return elements


# Nothing is written over JSON in a form or over a column, so what looks like a note in them is data.
_READERS: list[Callable[[str, int], str]] = [_json, _numbered, _folded, _dictionary]
