"""Compressed tool outputs, restored: every notation's own ``decode``, the last that was written first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Callable, NamedTuple

from .._decode import MAX_OUTPUT
from . import (
    columns,
    csv,
    dictionary,
    diff,
    fold,
    json,
    nested,
    numbers,
    paths,
    python_repr,
    reference,
    templates,
    truncated,
    unescaped,
)
from .error import OutputError, TooLarge, Unreadable, damaged, too_large
from .history import Arguments, EarlierResult, has_pointers, resolve
from .wrapper import change_payloads

__all__ = ["EarlierResult", "OutputError", "decode_output"]


def decode_output(
    text: str,
    *,
    max_output: int = MAX_OUTPUT,
    history: Iterable[EarlierResult] | None = None,
    arguments: Arguments = None,
) -> str:
    """What a compressed tool output stands for; a text that nothing changed is given back as it is.

    >>> decode_output("a\\n[Forge the line above 2 more times]\\nb\\n")
    'a\\na\\na\\nb\\n'

    Everything that a lossless mode writes is read, as ``tokenforge decode`` reads it. Pointers lead to the results
    before this one in its request, ``history``, or into the ``arguments`` of its own call:

    >>> seen = {"tool": "Bash", "arguments": {"command": "make"}, "text": "cc a.c\\ncc b.c\\nld prog"}
    >>> decode_output("[Duplicate of make; see earlier result]", history=[seen])
    'cc a.c\\ncc b.c\\nld prog'

    Raises :class:`OutputError` if something was left out of the text, if it points to what is not given, if it is
    damaged, and beyond ``max_output`` bytes of UTF-8.
    """
    try:
        return _decoded(text, history, arguments, max_output)
    except TooLarge:
        raise too_large(max_output) from None


def _decoded(
    text: str, history: Iterable[EarlierResult] | None, arguments: Arguments, max_output: int
) -> str:
    _check_unicode(text)
    if history is not None or arguments is not None:
        text = resolve(text, history or (), arguments, max_output)
        _check_unicode(text)
    _check_is_all(text)
    left = max_output

    def restore(payload: str) -> str:
        nonlocal left
        _check_is_all(payload)
        restored = _restored(payload, left)
        # All payloads of a text share what is allowed.
        left -= len(restored.encode())
        if left < 0:
            raise TooLarge
        return restored

    restored = _restored_payloads(text, restore)
    if len(restored.encode()) > max_output:
        raise TooLarge
    return restored


def _restored_payloads(text: str, restore: Callable[[str], str]) -> str:
    if not unescaped.is_written(text):
        return change_payloads(text, restore)
    try:
        return unescaped.decode(text, restore)
    except Unreadable:
        raise damaged("unescaped_strings") from None


class _Reader(NamedTuple):
    """How what a stage wrote is known, and read."""

    notation: str
    is_written: Callable[[str], bool]
    decode: Callable[[str, int], str]

    def read(self, text: str, max_output: int) -> str:
        try:
            return self.decode(text, max_output)
        except Unreadable:
            raise damaged(self.notation) from None


_MARKED_JSON = [
    _Reader("json_lines", lambda text: text.startswith(json.LINES), json.decode_lines),
    _Reader("csv_rows", csv.is_written, csv.decode),
    _Reader("nested_json", nested.is_written, nested.decode),
    _Reader("python_repr", python_repr.is_written, python_repr.decode),
    _Reader("truncated_json", truncated.is_written, truncated.decode),
]
_DIFF = _Reader("diff_headers", diff.is_written, diff.decode)
_COLUMN = _Reader("line_numbers", numbers.is_written, numbers.decode)
_READERS = [
    _Reader("repeated_lines", fold.is_written, fold.decode),
    _Reader("dictionary", dictionary.is_written, dictionary.decode),
    _Reader("log_templates", templates.is_written, templates.decode),
    _Reader("repeated_columns", columns.is_written, columns.decode),
    _Reader("path_headings", paths.is_written, paths.decode),
]


def _restored(text: str, max_output: int) -> str:
    # JSON is measured once it is restored: what is read to see whether it is in a form may be in none.
    max_json = max(max_output, MAX_OUTPUT)
    # Over JSON in a form and over the column of a file nothing is written: what looks like a note in them is data.
    for marked in _MARKED_JSON:
        if marked.is_written(text):
            return marked.read(text, max_json)
    if _DIFF.is_written(text):
        return _DIFF.read(text, max_output)
    try:
        in_form = json.form(text, max_json)
    except Unreadable:
        raise damaged("json") from None
    if in_form is not None:
        return in_form
    if _COLUMN.is_written(text):
        return _COLUMN.read(text, max_output)
    for reader in _READERS:
        if reader.is_written(text):
            text = reader.read(text, max_output)
    return text


def _check_is_all(text: str) -> None:
    """An error if a text does not hold all that it stands for."""
    reference.check(text)
    if has_pointers(text):
        raise OutputError("this text points to earlier results of its request, which are needed to restore it")


def _check_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as wrong:
        raise OutputError(f"expected Unicode text, found the lone surrogate U+{ord(text[wrong.start]):04X}") from None
