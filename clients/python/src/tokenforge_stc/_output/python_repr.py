"""Python literals that were written as JSON."""

from __future__ import annotations

import re

from . import nested, python_literal
from .error import Unreadable
from .json import decode_any, string_end

_HEAD = "[Forge a Python literal as JSON"
_HEAD_LINE = re.compile(r"\[Forge a Python literal as JSON(?:, tuples at level (?:([0-9]{1,9})|2( as objects)))?\]\n")
_MARK = re.compile(r'["{}\[\]]')


def is_written(text: str) -> bool:
    return text.startswith(_HEAD)


def decode(text: str, max_output: int) -> str:
    head = _HEAD_LINE.match(text)
    if not head:
        raise Unreadable
    body = text[head.end() :]
    line_end = "\n" if body.endswith("\n") else ""
    form = body[: len(body) - len(line_end)]
    json = nested.decode(form, max_output) if nested.is_written(form) else decode_any(form, max_output)
    if head[2]:
        return python_literal.write(_rows(json), 2, max_output) + line_end
    return python_literal.write(json, int(head[1]) if head[1] else None, max_output) + line_end


def _rows(json: str) -> str:
    """A list of objects as one of arrays."""
    pieces: list[str] = []
    depth = copied = at = 0
    while found := _MARK.search(json, at):
        mark, at = found[0], found.end()
        if mark == '"':
            at = string_end(json, at)
            if depth == 2 and json[at : at + 1] == ":":
                pieces.append(json[copied : found.start()])
                copied = at = at + 1
            continue
        depth += mark in "{["
        if depth == 2 and mark != "{" and mark != "}":
            raise Unreadable
        if depth == 2:
            pieces += json[copied : found.start()], "[" if mark == "{" else "]"
            copied = at
        depth -= mark in "}]"
    return "".join(pieces) + json[copied:]
