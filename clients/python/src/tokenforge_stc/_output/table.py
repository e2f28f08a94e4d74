"""Typed tables: ``[3]{id:int,path:string}``, then a line of cells per row, escaped as in CSV."""

from __future__ import annotations

import re
from typing import Callable, NamedTuple

from .error import Unreadable
from .text import Writer, end_at

_HEADER = re.compile(r"\[([1-9][0-9]{0,15})\]\{")
_NAME = re.compile(r'([A-Za-z0-9_]+)|"')
_TYPE = re.compile(r":(int|float|string|bool|null|any)([,}])")
_INTEGER = r"-?(?:0|[1-9][0-9]*)"
_NUMBER = rf"{_INTEGER}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_CELL_END = r"(?=[,\n]|\Z)"
_ESCAPE = re.compile(r"\\(?:[\\/bfnrt]|u[0-9A-Fa-f]{4})")
_PLAIN = re.compile(r'[^",\\\x00-\x1f]*')
_LEXEMES = {
    kind: re.compile(rf"(?:{lexeme}){_CELL_END}").match
    for kind, lexeme in {
        "int": rf"{_INTEGER}|null",
        "float": rf"{_NUMBER}|null",
        "bool": "true|false|null",
        "null": "null",
        "any": rf"{_NUMBER}|true|false|null",
    }.items()
}


class Column(NamedTuple):
    key: str
    """The name as a JSON key with its colon."""
    kind: str


def decode(text: str, max_output: int) -> str:
    """Reads a typed table and writes minified JSON."""
    header = _HEADER.match(text)
    if not header:
        raise Unreadable
    count = int(header[1])
    columns, at = _columns(text, header.end())
    out = Writer(max_output)
    for row in range(count):
        if not text.startswith("\n", at):
            raise Unreadable
        out.write("," if row else "[")
        at = _row(text, at + 1, columns, out.write)
    out.write("]")
    # A final line end is welcome, not required.
    if text[at:] not in ("", "\n"):
        raise Unreadable
    return out.text()


def _columns(text: str, at: int) -> tuple[list[Column], int]:
    columns: list[Column] = []
    while True:
        name = _NAME.match(text, at)
        if not name:
            raise Unreadable
        key, at = (f'"{name[1]}"', name.end()) if name[1] else _quoted(text, at)
        kind = _TYPE.match(text, at)
        if not kind:
            raise Unreadable
        columns.append(Column(f"{key}:", kind[1]))
        at = kind.end()
        if kind[2] == "}":
            return columns, at


def _row(text: str, at: int, columns: list[Column], write: Callable[[str], None]) -> int:
    """Writes the object of the row at an offset; gives the offset of its line end."""
    comma = "{"
    for index, column in enumerate(columns):
        if index:
            if not text.startswith(",", at):
                raise Unreadable
            at += 1
        # An empty cell is a member that is not there.
        if text[at : at + 1] in ("", ",", "\n"):
            if len(columns) == 1:
                raise Unreadable
            continue
        cell, at = _cell(text, at, column.kind)
        write(comma + column.key + cell)
        comma = ","
    if text[at : at + 1] not in ("", "\n"):
        raise Unreadable
    write("{}" if comma == "{" else "}")
    return at


def _cell(text: str, at: int, kind: str) -> tuple[str, int]:
    if kind in ("string", "any") and text.startswith('"', at):
        return _quoted(text, at)
    if kind == "string":
        end = _plain(text, at)
        return ("null" if text[at:end] == "null" else f'"{text[at:end]}"'), end
    lexeme = _LEXEMES[kind](text, at)
    if not lexeme:
        raise Unreadable
    return lexeme[0], lexeme.end()


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The JSON string of the quoted cell at an offset, in which a quote is doubled, and the offset behind it."""
    pieces = ['"']
    at += 1
    while True:
        end = _plain(text, at)
        pieces.append(text[at:end])
        at = end
        if text.startswith(",", at):
            pieces.append(",")
            at += 1
        elif text.startswith('""', at):
            pieces.append('\\"')
            at += 2
        elif text.startswith('"', at):
            return "".join(pieces) + '"', at + 1
        else:
            raise Unreadable


def _plain(text: str, at: int) -> int:
    """The offset behind text without commas, quotes and control characters."""
    while True:
        end = end_at(_PLAIN, text, at)
        at = end_at(_ESCAPE, text, end)
        if at == end:
            return end
