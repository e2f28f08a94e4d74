"""The layouts in which serialisers print JSON, written from the minified text."""

from __future__ import annotations

import re

from .error import Unreadable
from .json import string_end
from .text import Writer

WIDEST_INDENT = 8

_MARK = re.compile(r'["{}\[\],:]')


def indent_of(word: str) -> str | None:
    """What a layout of this name indents each level by."""
    if word == "indented:tabs":
        return "\t"
    width = word[len("indented:") :]
    is_width = word.startswith("indented:") and width in "12345678" and len(width) == 1
    return " " * int(width) if is_width else None


def write(json: str, max_output: int, *, indent: str = "", is_spaced: bool = False) -> str:
    """A minified text with an indent for each level, or with a blank behind every comma and colon."""
    out = Writer(max_output)
    depth = copied = at = 0
    while found := _MARK.search(json, at):
        mark, at = found[0], found.end()
        if mark == '"':
            at = string_end(json, at)
            continue
        if not indent:
            if is_spaced and mark in ",:":
                out.write(json[copied:at] + " ")
                copied = at
            continue
        if mark in "{[" and json[at : at + 1] in ("}", "]"):
            at += 1
            continue
        out.write(json[copied : found.start()])
        copied = at
        if mark in "}]":
            depth -= 1
            if depth < 0:
                raise Unreadable
            out.write("\n" + indent * depth + mark)
        elif mark == ":":
            out.write(": ")
        else:
            depth += mark != ","
            out.write(mark + "\n" + indent * depth)
    out.write(json[copied:])
    return out.text()
