"""CSV rows that became one array: each object a row again, in the dialect that the first line names."""

from __future__ import annotations

import json
import re
from typing import Callable

from .._error import StcError
from .._json import Object, parse
from .error import Unreadable
from .json import decode_any

ANNOUNCEMENT = "[Forge CSV rows as one array"

_FIRST_LINE = re.compile(
    re.escape(ANNOUNCEMENT)
    + r"(, tab|, semicolon|, bar|)"
    + r"(, without quotes|, strings quoted|, all quoted|, quoted as by sqlite3|)"
    + r"(, CRLF|)\]\n"
)
_DELIMITERS = {"": ",", ", tab": "\t", ", semicolon": ";", ", bar": "|"}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SQLITE = re.compile(r"[^!#-&(-~]")


def is_written(text: str) -> bool:
    return text.startswith(ANNOUNCEMENT)


def decode(text: str, max_output: int) -> str:
    first = _FIRST_LINE.match(text)
    if first is None:
        raise Unreadable
    delimiter, line_end = _DELIMITERS[first[1]], "\r\n" if first[3] else "\n"
    write = _row_writer(first[2], delimiter)
    lines = [delimiter.join(write(value) for value in row) for row in _rows(text[first.end() :], max_output)]
    return line_end.join(lines) + (line_end if text.endswith("\n") else "")


def _rows(array: str, max_output: int) -> list[list[bytes]]:
    """The names, and the values of each object."""
    try:
        objects = parse(decode_any(array, max_output).encode())
    except StcError:
        raise Unreadable from None
    if not isinstance(objects, list) or not objects:
        raise Unreadable
    rows: list[list[bytes]] = []
    for row in objects:
        if not isinstance(row, Object) or not row.keys or (rows and len(row.keys) != len(rows[0])):
            raise Unreadable
        if not rows:
            rows.append(row.keys)
        rows.append([value for value in row.values if isinstance(value, bytes)])
        if len(rows[-1]) != len(rows[0]):
            raise Unreadable
    return rows


def _row_writer(quoting: str, delimiter: str) -> Callable[[bytes], str]:
    """How a JSON value is written as a cell."""
    must = re.compile(f'[{re.escape(delimiter)}"\r\n]')

    def is_quoted(content: str) -> bool:
        if quoting == ", strings quoted":
            return not _NUMBER.fullmatch(content)
        if quoting == ", quoted as by sqlite3":
            return content == "" or bool(_SQLITE.search(content) or must.search(content))
        return quoting == ", all quoted" or (quoting == "" and bool(must.search(content)))

    def cell(value: bytes) -> str:
        if value == b"null" and quoting not in ("", ", without quotes"):
            return ""
        if value[:1] not in b'"-0123456789':
            raise Unreadable
        content = _string(value) if value[:1] == b'"' else value.decode()
        return '"' + content.replace('"', '""') + '"' if is_quoted(content) else content

    return cell


def _string(value: bytes) -> str:
    string: str = json.loads(value)
    try:
        string.encode()
    except UnicodeEncodeError:
        raise Unreadable from None
    return string
