"""The arguments of a call: JSON as a rule, and where they hold a command line."""

from __future__ import annotations

import json
import re
from typing import Any, List, Union

from ..text import WHITE

# Keys under which agents put a command line, the likeliest first.
_KEYS = ("command", "cmd", "commands", "script", "input", "code", "line")
# Keys that hold the arguments proper.
_ENVELOPES = ("action", "arguments", "params", "args")
_SHELL_FLAGS = ("-c", "-lc", "-Command")

# The commands that a script of Codex starts: `tools.exec_command({cmd: "cargo test"})`.
_CALL = "exec_command("
_MAX_CALLS = 64
_LITERAL = re.compile(rf"""["']*[{WHITE}]*:[{WHITE}]*(["'`])""")
_ESCAPES = {"n": "\n", "t": "\t"}

Lines = List[Union[str, List[str]]]
"""Command lines: for a shell to split, or split already."""


def parsed(arguments: str) -> Any:
    """Arguments that are JSON; ``None`` if they are not, or null."""
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def members(arguments: str) -> dict[str, Any]:
    """Arguments by name, in their order."""
    value = parsed(arguments)
    return value if isinstance(value, dict) else {}


def command_line(arguments: str) -> str | None:
    """The command line as a reader would write it down, if there is just one."""
    value = parsed(arguments)
    lines = _in_text(arguments) if value is None else _in_arguments(value)
    if not lines or len(lines) != 1:
        return None
    line = lines[0]
    if isinstance(line, str):
        return line
    # `bash -lc` is the client's, not the model's.
    return line[2] if len(line) == 3 and line[1] in _SHELL_FLAGS else " ".join(line)


def _in_arguments(value: Any) -> Lines | None:
    if not isinstance(value, dict):
        return _in_value(value)
    found = _named(value)
    for key in _ENVELOPES:
        if found is None and isinstance(value.get(key), dict):
            found = _named(value[key])
    return found


def _named(arguments: dict[str, Any]) -> Lines | None:
    for key in _KEYS:
        value = arguments.get(key)
        found = _several(value) if key == "commands" and isinstance(value, list) else _in_value(value)
        if found is not None:
            return found
    return None


def _in_value(value: Any) -> Lines | None:
    if isinstance(value, str):
        return _in_text(value)
    return _in_list(value) if isinstance(value, list) else None


def _in_text(text: str) -> Lines | None:
    if not text.strip(WHITE):
        return None
    commands = _started(text)
    return [text] if commands is None else commands


def _in_list(items: list[Any]) -> Lines | None:
    """One command split into words, unless the program has blanks in its name: then every item is a line."""
    words = [item for item in items if isinstance(item, str)]
    if len(words) == len(items):
        if not words:
            return None
        if not any(blank in words[0].strip(WHITE) for blank in WHITE):
            return [words]
    return _several(items)


def _several(items: list[Any]) -> Lines | None:
    """One command a line."""
    lines: Lines = []
    for item in items:
        values = [item.get(key) for key in _KEYS] if isinstance(item, dict) else [item]
        text = next((value for value in values if isinstance(value, str)), None)
        if text is None:
            return None
        lines.append(text)
    return lines or None


def _started(script: str) -> Lines | None:
    """The command lines in a script, or ``None`` if the text is no script. Where one is computed, none is known."""
    if "tools." not in script and "tools[" not in script:
        return None
    commands: Lines = []
    for call in script.split(_CALL)[1 : 1 + _MAX_CALLS]:
        command = _literal(call)
        if command is None:
            return []
        commands.append(command)
    return commands


def _literal(arguments: str) -> str | None:
    """The string literal behind the first ``cmd:`` or ``"cmd":``."""
    found = arguments.find("cmd")
    opening = _LITERAL.match(arguments, found + len("cmd")) if found >= 0 else None
    if not opening:
        return None
    text: list[str] = []
    characters = iter(arguments[opening.end() :])
    for character in characters:
        if character == opening[1]:
            return "".join(text)
        if character == "\\":
            escaped = next(characters, None)
            if escaped is None:
                return None
            character = _ESCAPES.get(escaped, escaped)
        text.append(character)
    return None
