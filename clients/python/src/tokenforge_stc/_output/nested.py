"""Nested JSON: strings that hold JSON, or a Python literal, and were written as the values that they hold."""

from __future__ import annotations

import re
from typing import NamedTuple

from . import layout, python_literal
from .error import Unreadable
from .json import decode_any, string_end
from .wrapper.strings import STYLES, json_string

_HEAD = "[Forge strings that hold JSON, unescaped: "
_HEAD_END = "]\n"
_SEPARATOR = "; "
_MOST_LAYERS = 4
"""How many strings may lie inside each other."""
_MARK = re.compile(r'["{}\[\]]')


class _Style(NamedTuple):
    """How a string was written that holds a value."""

    indent: str = ""
    is_spaced: bool = False
    is_python: bool = False
    tuples: int | None = None
    line_end: str = ""
    special: str = ""

    def write(self, json: str, max_output: int) -> str:
        """The string that holds a value, with its quotes."""
        if self.is_python:
            held = python_literal.write(json, self.tuples, max_output)
        else:
            held = layout.write(json, max_output, indent=self.indent, is_spaced=self.is_spaced)
        return f'"{json_string(held + self.line_end, self.special)}"'


def is_written(text: str) -> bool:
    return text.startswith(_HEAD)


def decode(text: str, max_output: int) -> str:
    names, found, form = text[len(_HEAD) :].partition(_HEAD_END)
    if not found:
        raise Unreadable
    return _lowered(decode_any(form, max_output), _members(names), _MOST_LAYERS, max_output)


def _lowered(json: str, members: dict[str, _Style], layers: int, max_output: int) -> str:
    """The minified text with the objects and arrays of these members as strings."""
    pieces: list[str] = []
    copied = at = 0
    while found := _MARK.search(json, at):
        at = found.end()
        if found[0] != '"':
            continue
        start, at = at, string_end(json, at)
        style = members.get(json[start : at - 1])
        if style and json[at : at + 1] == ":" and json[at + 1 : at + 2] in ("{", "["):
            if not layers:
                raise Unreadable
            end = _container_end(json, at + 1)
            inner = _lowered(json[at + 1 : end], members, layers - 1, max_output)
            pieces += json[copied : at + 1], style.write(inner, max_output)
            copied = at = end
    lowered = "".join(pieces) + json[copied:]
    if len(lowered) > max_output:
        raise Unreadable
    return lowered


def _container_end(json: str, at: int) -> int:
    """Behind the bracket that closes the container that begins at an offset."""
    depth = 0
    while found := _MARK.search(json, at):
        at = found.end()
        if found[0] == '"':
            at = string_end(json, at)
            continue
        depth += 1 if found[0] in "{[" else -1
        if depth == 0:
            return at
    raise Unreadable


def _members(names: str) -> dict[str, _Style]:
    members: dict[str, _Style] = {}
    at = 0
    while names.startswith('"', at):
        end = string_end(names, at + 1)
        if end < at + 2 or names[end - 1] != '"':
            raise Unreadable
        words, found, _ = names[end:].partition(_SEPARATOR)
        members[names[at + 1 : end - 1]] = _style(words.split())
        if not found:
            return members
        at = end + len(words) + len(_SEPARATOR)
    raise Unreadable


def _style(words: list[str]) -> _Style:
    style = _Style()
    for word in words:
        indent = layout.indent_of(word)
        if indent:
            style = style._replace(indent=indent)
        elif word == "spaced":
            style = style._replace(is_spaced=True)
        elif word == "Python":
            style = style._replace(is_python=True)
        elif word.startswith("tuples:") and word[7:].isdecimal():
            style = style._replace(is_python=True, tuples=int(word[7:]))
        elif word == "newline":
            style = style._replace(line_end="\n")
        elif word in STYLES:
            style = style._replace(special=style.special + STYLES[word])
        else:
            raise Unreadable
    return style
