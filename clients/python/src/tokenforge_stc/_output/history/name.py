"""What a model would call a result: the file it read, the command it ran, or the tool and what that was asked for."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from ..text import WHITE
from . import arguments as args
from .tools import canonical

BEHIND = " above"
"""What stands behind a name in a pointer, so that no name may contain it."""

_LONGEST = 80
_LONGEST_PATH = 200
_PATH_KEYS = (
    "file_path path filePath absolute_path target_file file filename file_name notebook_path uri".split()
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_RANGE = re.compile(r"(?=[^0-9]*[0-9])[0-9 \-:,.+$L]*")
_KEY = re.compile(r"[A-Za-z0-9_.\-]{1,80}")

Kind = Literal["file", "command", "tool", "argument"]


class CallName(NamedTuple):
    text: str
    kind: Kind
    asked: str
    """The same for calls that ask for the same thing."""


def of_call(tool: str, arguments: str) -> CallName | None:
    """The name of a call's result; ``None`` if nothing can point to it."""
    members = args.members(arguments)
    does = _what_it_does(tool, members)
    if does == "read":
        path = next((members[key] for key in _PATH_KEYS if isinstance(members.get(key), str)), None)
        is_part = any(_is_range(value) for value in members.values())
        return None if path is None or is_part else _file(path.strip(WHITE))
    if does in ("edit", "write"):
        return None
    line = args.command_line(arguments) if does == "shell" else None
    if line is not None:
        return _plain(CallName(_cut(line), "command", f"{tool}\n{line}"))
    first = next((value for value in members.values() if isinstance(value, str)), None)
    text = tool if first is None else f'{tool} "{_cut(first)}"'
    return _plain(CallName(text, "tool", arguments)) if len(tool.encode()) <= _LONGEST else None


def of_argument(key: str) -> CallName | None:
    """A text in the arguments of the call that is answered."""
    return CallName(key, "argument", "") if _KEY.fullmatch(key) else None


def _what_it_does(tool: str, members: dict[str, Any]) -> str:
    does = canonical(tool)
    if does == "router":
        names = (members.get(key) for key in ("tool_name", "tool", "name"))
        routed = next((name for name in names if isinstance(name, str)), "")
        return canonical(routed)
    # Editors also show files.
    return "read" if does == "edit" and members.get("command") == "view" else does


def _file(path: str) -> CallName | None:
    return _plain(CallName(path, "file", path)) if len(path.encode()) <= _LONGEST_PATH else None


def _plain(name: CallName) -> CallName | None:
    """A name that cannot be mistaken for other words of a pointer."""
    is_plain = name.text and BEHIND not in name.text and not _CONTROL.search(name.text)
    return name if is_plain else None


def _cut(text: str) -> str:
    """The first line, no longer than a name may be."""
    text = text.strip(WHITE)
    first = text.split("\n", 1)[0].rstrip(WHITE)[:_LONGEST]
    return first.rstrip(WHITE) + "…" if len(first) < len(text) else first


def _is_range(value: Any) -> bool:
    """Does an argument say where to begin or to end? It is a number, some numbers, or a text of them."""
    if isinstance(value, list):
        return any(map(_is_range, value))
    if isinstance(value, str):
        return bool(_RANGE.fullmatch(value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)
