"""Python literals, written from minified JSON as ``repr`` prints them."""

from __future__ import annotations

import json as _json
import re

from .error import Unreadable
from .json import string_end
from .text import Writer
from .wrapper.strings import python_string

_MARK = re.compile(r'["{}\[\],:]|[^"{}\[\],:]+')
_WORDS = {"null": "None", "true": "True", "false": "False", ",": ", ", ":": ": "}


def write(json: str, tuples: int | None, max_output: int) -> str:
    """What ``repr`` prints of a minified JSON text, with tuples at a level of its arrays."""
    out = Writer(max_output)
    # Of every open container: is it a tuple, and does it need no comma behind its one element?
    opened: list[list[bool]] = []
    at = 0
    while found := _MARK.match(json, at):
        mark, at = found[0], found.end()
        if mark == '"':
            end = string_end(json, at)
            out.write(_string(json[at - 1 : end]))
            at = end
        elif mark in ("{", "["):
            is_tuple = mark == "[" and tuples == len(opened) + 1
            opened.append([is_tuple, json.startswith("]", at)])
            out.write("(" if is_tuple else mark)
        elif mark in ("}", "]"):
            if not opened:
                raise Unreadable
            is_tuple, has_all = opened.pop()
            out.write((")" if has_all else ",)") if is_tuple else mark)
        else:
            if mark == "," and opened:
                opened[-1][1] = True
            out.write(_WORDS.get(mark, mark))
    return out.text()


def _string(lexeme: str) -> str:
    text = _json.loads(lexeme)
    quote = '"' if "'" in text and '"' not in text else "'"
    return quote + python_string(text, quote) + quote
