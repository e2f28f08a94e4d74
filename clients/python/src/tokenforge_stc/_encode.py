"""JSON to STC: every string and number is copied as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ._decode import decode_stc1
from ._error import utf8
from ._json import Array, Node, Object, parse
from ._lexeme import QUOTED_IDENT
from ._stc2 import encode as _stc2
from ._steps import Steps, run

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

Spelling = Literal["adr", "dense", "flat"]
"""``adr`` is what HTTP uses; ``dense`` has no optional spaces and is for a model to read; ``flat`` is dense without tables, for a
small one."""

Level = Literal[1, 2, 3]
"""How much STC 2 factors out: 1 is bare words and tables, 2 adds nested, sparse and constant columns, 3 adds prefixes,
templates and references."""


def encode_stc(json: str, *, spelling: Spelling = "adr") -> str:
    """Writes a JSON text as STC 1.

    >>> encode_stc('{"tags": ["api", "mcp"], "n": 1.10}')
    '{tags[2]: "api","mcp", n: 1.10}'
    >>> encode_stc('{"tags": ["api", "mcp"], "n": 1.10}', spelling="dense")
    '{tags:["api","mcp"],n:1.10}'
    >>> encode_stc('[{"id": 1}, {"id": 2}]', spelling="flat")
    '[{id:1},{id:2}]'

    :func:`decode_stc` gives back the minified JSON byte for byte. Raises :class:`StcError` if the text is not JSON.
    """
    if spelling not in ("adr", "dense", "flat"):
        raise ValueError(f"expected the spelling 'adr', 'dense' or 'flat', found {spelling!r}")
    encoder = _Encoder(spelling)
    run(encoder.value(parse(utf8(json))))
    return encoder.out.decode()


def encode_stc2(json: str, *, level: Level = 2) -> str:
    """Writes a JSON text as STC 2, or minified where that is not shorter.

    >>> encode_stc2('[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]')
    'stc2\\n[2]{id name}\\n1 users\\n2 orders'
    >>> encode_stc2('{"a": 1}')
    '{"a":1}'

    :func:`decode_stc` gives back the minified JSON byte for byte. Raises :class:`StcError` if the text is not JSON.
    """
    if level not in (1, 2, 3):
        raise ValueError(f"expected a level from 1 to 3, found {level!r}")
    data = utf8(json)
    written = _stc2.encode(data, level)
    return decode_stc1(data, len(data)) if written is None else written.decode()


class _Encoder:
    def __init__(self, spelling: Spelling) -> None:
        self.adr = spelling == "adr"
        self.has_tables = spelling != "flat"
        # Between members and elements; behind a key or a header; between rows.
        self.comma, self.colon, self.row_end = (b", ", b": ", b" / ") if self.adr else (b",", b":", b"/")
        self.out = bytearray()

    def value(self, node: Node) -> Steps | None:
        """Writes a scalar; for a container, returns the steps that write it."""
        if isinstance(node, bytes):
            self.out += node
            return None
        if isinstance(node, Object):
            return self.object(node)
        return self.table(node) if self.is_table(node) else self.array(node)

    def object(self, members: Object) -> Steps:
        self.out += b"{"
        for index, (key, node) in enumerate(zip(members.keys, members.values)):
            if index:
                self.out += self.comma
            self.out += _spelled(key)
            value = self.member(node)
            if value:
                yield value
        self.out += b"}"

    def member(self, node: Node) -> Steps | None:
        """What follows a key: a header with its rows or values, or a colon and the value."""
        if isinstance(node, list):
            if self.is_table(node):
                return self.table(node)
            if self.adr and _is_homogeneous(node):
                self.out += b"[%d]: %b" % (len(node), b",".join(node))
                return None
        self.out += self.colon
        return self.value(node)

    def array(self, elements: Array) -> Steps:
        self.out += b"["
        yield self.items(elements, b"," if _is_homogeneous(elements) else self.comma)
        self.out += b"]"

    def table(self, rows: list[Object]) -> Steps:
        columns = b",".join(map(_spelled, rows[0].keys))
        self.out += b"[%d]{%b}%b" % (len(rows), columns, self.colon)
        for index, row in enumerate(rows):
            if index:
                self.out += self.row_end
            yield self.items(row.values, b",")

    def items(self, values: Array, comma: bytes) -> Steps:
        if _are_scalars(values):
            self.out += comma.join(values)
            return
        for index, element in enumerate(values):
            if index:
                self.out += comma
            value = self.value(element)
            if value:
                yield value

    def is_table(self, elements: Array) -> TypeGuard[list[Object]]:
        """Two or more objects with the same keys in the same order; ``adr`` asks for scalar cells as well."""
        first = elements[0] if len(elements) > 1 else None
        if not self.has_tables or not isinstance(first, Object) or not first.keys:
            return False
        return all(
            isinstance(row, Object) and row.keys == first.keys and (not self.adr or _are_scalars(row.values))
            for row in elements
        )


_FAMILIES = {ord("t"): "boolean", ord("f"): "boolean", ord('"'): "string"}
_FAMILIES.update(dict.fromkeys(b"-0123456789", "number"))
_SCALAR = {bytes}


def _are_scalars(values: Array) -> TypeGuard[list[bytes]]:
    return set(map(type, values)) <= _SCALAR


def _is_homogeneous(elements: Array) -> TypeGuard[list[bytes]]:
    """All strings, all numbers or all booleans? ``null`` is in no such family."""
    if not _are_scalars(elements):
        return False
    families = {_FAMILIES.get(element[0]) for element in elements}
    return len(families) == 1 and None not in families


def _spelled(key: bytes) -> bytes:
    """A key loses its quotes if the text between them, as written, is an identifier."""
    return key[1:-1] if QUOTED_IDENT(key) else key
