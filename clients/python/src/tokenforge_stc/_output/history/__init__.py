"""Pointers to earlier results of the same request, resolved from what the model saw."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Union

from .. import reference
from ..error import OutputError
from ..text import Writer
from . import arguments as args
from . import marker, name
from .marker import has_pointers
from .numbering import Numbering
from .shown import Index

__all__ = ["EarlierResult", "has_pointers", "resolve"]

EarlierResult = Mapping[str, Any]
"""``{"tool": NAME, "arguments": what it was called with, "text": the result as the model saw it}``"""

Arguments = Union[str, Mapping[str, Any], None]


def resolve(text: str, history: Iterable[EarlierResult], arguments: Arguments, max_output: int) -> str:
    """What a text with pointers stands for, given the results before it and the arguments of its own call."""
    if not has_pointers(reference.without(text)):
        return text
    results = _index(history)
    duplicated = marker.duplicated(reference.without(text))
    if duplicated is not None:
        shown = results.named(duplicated, is_quoted=False)
        if not shown:
            raise _nowhere(text)
        return shown.text
    own = _own_words(_spelled(arguments))
    numbering = Numbering()
    out = Writer(max_output + 1)
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if not marker.is_pointer(line):
            numbering.read(line, lines[at + 1] if at + 1 < len(lines) else None)
            out.write(line + "\n")
            continue
        pointer = marker.parse(line)
        source = pointer and (own if pointer.is_own else results).named(pointer.name, is_quoted=True)
        meant = source.meant(pointer) if source and pointer else None
        if meant is None:
            raise _nowhere(line)
        for bare in meant:
            out.write(numbering.write(bare) + "\n")
    return out.text()[:-1]


def _nowhere(pointer: str) -> OutputError:
    return OutputError(f"it points to a result that is not in the history: {pointer}")


def _index(history: Iterable[EarlierResult]) -> Index:
    index = Index()
    for result in history:
        tool, text = result.get("tool"), result.get("text")
        if not isinstance(tool, str) or not isinstance(text, str):
            raise TypeError('expected results such as {"tool": "Read", "arguments": {"file_path": "a.rs"}, "text": "..."}')
        called = name.of_call(tool, _spelled(result.get("arguments")))
        if called:
            index.add(called, text)
    return index


def _own_words(arguments: str) -> Index:
    """The texts in the arguments of the call."""
    index = Index()
    for key, value in args.members(arguments).items():
        called = name.of_argument(key)
        if called and isinstance(value, str):
            index.add(called, value)
    return index


def _spelled(arguments: Any) -> str:
    """Arguments as JSON text. Some tools take free text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
