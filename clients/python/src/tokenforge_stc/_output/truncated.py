"""Truncated JSON: what can be read of it in a form, and the rest as it was."""

from __future__ import annotations

from .error import Unreadable
from .json import decode_any

_HEAD = "[Forge JSON that was cut off, closed with "
_HEAD_END = "]\n"
_LIST = "\n[Forge the elements that follow, as a list]\n"
_TEXT = "\n[Forge then the text as it was]\n"


def is_written(text: str) -> bool:
    return text.startswith(_HEAD)


def decode(text: str, max_output: int) -> str:
    closers, rest = _split(text[len(_HEAD) :], _HEAD_END)
    head, rest = _split(rest, _TEXT)
    decoded = decode_any(head, max_output)
    if not decoded.endswith(closers):
        raise Unreadable
    decoded = decoded[: len(decoded) - len(closers)]
    before, mark, behind = rest.partition(_LIST)
    if mark:
        elements, behind = _split(behind, _TEXT)
        listed = decode_any(elements, max_output)
        if not (listed.startswith("[") and listed.endswith("]")):
            raise Unreadable
        behind = listed[1:-1] + behind
    return decoded + before + behind


def _split(text: str, mark: str) -> tuple[str, str]:
    before, found, behind = text.partition(mark)
    if not found:
        raise Unreadable
    return before, behind
