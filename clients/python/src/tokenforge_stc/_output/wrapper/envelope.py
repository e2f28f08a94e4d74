"""JSON around an output: Codex's chunks, the results of MCP tools, Cline's list of results.

Only what can be nothing else counts as an envelope: other JSON is compressed as such. Whether something is one does
not depend on its payloads, so that an envelope is still one when these have shrunk.
"""

from __future__ import annotations

import re

from .slot import Slot
from .value import Value, whole

# Keys of strings that are outputs.
_PAYLOADS = frozenset("output stdout stderr result text content".split())
# Keys that say something about an output.
_COMPANIONS = frozenset(
    "_meta annotations chunk_id duration duration_ms error exitCode exit_code interrupted isError isImage is_error meta "
    "metadata original_token_count resultType returncode return_code session_id signal status structuredContent success "
    "timed_out truncated type wall_time_seconds".split()
)
# The blocks of an MCP result.
_BLOCKS = frozenset("text image audio resource resource_link".split())
# What Cline says about each of its commands and files.
_CLINE = frozenset("query result success error".split())
_MAX_PAYLOADS = 1024
_MAX_BESIDE = 1024
"""More than this beside the payloads is data."""
# The first key alone is looked at, so that other JSON costs nothing.
_START = re.compile(r'[ \n\r\t]*(?:\[[ \n\r\t]*)?\{[ \n\r\t]*"([A-Za-z_]+)"')

Members = list[tuple[str, Value]]


def json(text: str) -> list[Slot] | None:
    first = _START.match(text)
    if not first or first[1] not in _PAYLOADS | _COMPANIONS | _CLINE:
        return None
    value = whole(text)
    if not value:
        return None
    elements = value.elements(text)
    return (_list(elements, text) if elements is not None else _object(value, text)) or None


def _object(value: Value, text: str) -> list[Slot] | None:
    """An object whose keys all belong to an envelope, and that says little beside its payloads."""
    slots: list[Slot] = []
    beside = 0
    members = value.members(text)
    if members is None:
        return None
    for key, member in members:
        if key in _COMPANIONS:
            beside += len(text[member.start : member.end].encode())
            continue
        found: list[Slot] | None = None
        if key == "content" and not member.string():
            elements = member.elements(text)
            found = _list(elements, text) if elements is not None else None
        elif key in _PAYLOADS:
            found = _slot(member)
        if found is None:
            return None
        slots += found
    return slots if beside <= _MAX_BESIDE else None


def _list(elements: list[Value], text: str) -> list[Slot] | None:
    """The blocks of an MCP result, or Cline's results."""
    slots: list[Slot] = []
    for element in elements:
        members = element.members(text)
        found = None if members is None else _block(members, text)
        found = _cline(members) if members is not None and found is None else found
        if found is None:
            return None
        slots += found
    return slots if len(elements) <= _MAX_PAYLOADS else None


def _block(members: Members, text: str) -> list[Slot] | None:
    kind = _member(members, "type")
    name = kind and kind.string()
    spelled = text[name[0] : name[1]] if name else ""
    if spelled not in _BLOCKS:
        return None
    if spelled == "text":
        return _slot(_member(members, "text"))
    if spelled == "resource":
        resource = _member(members, "resource")
        inside = resource.members(text) if resource else None
        return None if inside is None else _slot(_member(inside, "text")) or []
    return []


def _cline(members: Members) -> list[Slot] | None:
    if not all(key in _CLINE for key, _ in members) or not _member(members, "query"):
        return None
    return _slot(_member(members, "result"))


def _member(members: Members, key: str) -> Value | None:
    return next((value for name, value in members if name == key), None)


def _slot(value: Value | None) -> list[Slot] | None:
    """The place of a string."""
    place = value and value.string()
    return [Slot(*place, quote="{")] if place else None
