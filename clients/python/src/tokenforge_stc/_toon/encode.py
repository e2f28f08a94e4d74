"""JSON to TOON: numbers are copied as they were written, strings in the one spelling that TOON has."""

from __future__ import annotations

from .._error import utf8
from .._json import Array, Node, Object, parse
from .._steps import Steps, run
from .error import ToonError
from .scalar import from_json, key_from_json, quoted, string_value


def encode_toon(json: str) -> str:
    """Writes a JSON text as TOON.

    >>> print(encode_toon('{"users": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}'))
    users[2]{id,name}:
      1,Ada
      2,Bob

    :func:`decode_toon` gives back the minified JSON, but for the spelling of escapes in strings and for the order of members in
    rows, which is that of the first row. Raises :class:`StcError` if the text is not JSON, and :class:`ToonError` if an object has
    a key twice or a string has a lone surrogate, since TOON has neither.
    """
    encoder = _Encoder()
    run(encoder.document(parse(utf8(json))))
    return "".join(encoder.out)


class _Encoder:
    def __init__(self) -> None:
        self.out: list[str] = []

    def document(self, root: Node) -> Steps:
        if isinstance(root, bytes):
            scalar = from_json(root.decode())
            # A leading byte order mark would be taken for the document's own.
            self.out.append(quoted(scalar) if scalar.startswith("\ufeff") else scalar)
        elif root == []:
            self.out.append("[]")
        elif isinstance(root, list):
            yield self.array(root, 0)
        elif _is_keyed_table(root):
            yield self.keyed_rows(root, 0)
        else:
            yield self.fields(root, 0, is_open=True)

    def line(self, depth: int) -> None:
        self.out.append("\n" + "  " * depth)

    def fields(self, members: Object, depth: int, is_open: bool) -> Steps:
        """The members of an object, one to a line; the first on the line that is open, if one is."""
        _check_keys(members)
        for key, value in zip(members.keys, members.values):
            if not is_open:
                self.line(depth)
            is_open = False
            self.out.append(key_from_json(key.decode()))
            if isinstance(value, bytes):
                self.out.append(": " + from_json(value.decode()))
            elif value == []:
                self.out.append(": []")
            elif isinstance(value, list):
                yield self.array(value, depth)
            elif _is_keyed_table(value):
                yield self.keyed_rows(value, depth)
            else:
                self.out.append(":")
                yield self.fields(value, depth + 1, is_open=False)

    def array(self, elements: Array, depth: int) -> Steps:
        if not _is_table(elements):
            yield self.list(elements, depth)
            return
        self.out.append(f"[{len(elements)}]")
        self.columns(elements[0])
        for row in elements:
            self.line(depth + 1)
            self.cells(elements[0], row)

    def list(self, elements: Array, depth: int) -> Steps:
        """An array that is no table: on one line if it holds only scalars, else an item to a line."""
        self.out.append(f"[{len(elements)}]:")
        scalars = [from_json(element.decode()) for element in elements if isinstance(element, bytes)]
        if len(scalars) == len(elements):
            self.out.append(" " + ",".join(scalars) if scalars else "")
            return
        for element in elements:
            self.line(depth + 1)
            if isinstance(element, bytes):
                self.out.append("- " + from_json(element.decode()))
            elif isinstance(element, list):
                self.out.append("- ")
                yield self.list(element, depth + 1)
            else:
                self.out.append("- " if element.keys else "-")
                yield self.fields(element, depth + 2, is_open=True)

    def keyed_rows(self, members: Object, depth: int) -> Steps:
        """An object whose values make a table: one entry to a line."""
        _check_keys(members)
        self.out.append(f"[{len(members.keys)}:]")
        self.columns(members.values[0])
        for key, row in zip(members.keys, members.values):
            self.line(depth + 1)
            self.out.append(key_from_json(key.decode()) + ": ")
            self.cells(members.values[0], row)
        yield from ()

    def columns(self, first: Node) -> None:
        """The keys of a row, in braces."""
        pieces: list[str] = []
        pending: list[Node | str] = [":", first]
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                pieces.append(item)
            elif isinstance(item, Object):
                _check_keys(item)
                pending.append("}")
                for index in range(len(item.keys) - 1, -1, -1):
                    pending += item.values[index], key_from_json(item.keys[index].decode())
                    pending += [","] if index else []
                pieces.append("{")
        self.out.append("".join(pieces))

    def cells(self, first: Node, row: Node) -> None:
        self.out.append(",".join(from_json(cell.decode()) for cell in _cells(first, row)))


def _cells(first: Node, row: Node) -> list[bytes]:
    """The scalars of a row, in the order of the first one."""
    cells: list[bytes] = []
    pending = [(first, row)]
    while pending:
        ours, theirs = pending.pop()
        if isinstance(theirs, bytes):
            cells.append(theirs)
        elif isinstance(ours, Object) and isinstance(theirs, Object):
            values = theirs.values
            if ours.keys != theirs.keys:
                by_name = dict(zip(_names(theirs), values))
                values = [by_name[name] for name in _names(ours)]
            pending += reversed(list(zip(ours.values, values)))
    return cells


def _is_keyed_table(members: Object) -> bool:
    return len(members.keys) > 1 and _is_table(members.values)


def _is_table(rows: Array) -> bool:
    """Are these objects that agree on their keys, with scalars, or objects that agree again, in every column?"""
    first = rows[0] if rows else None
    return isinstance(first, Object) and _is_record(first) and all(_agree(first, row) for row in rows[1:])


def _is_record(node: Node) -> bool:
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, list) or (isinstance(node, Object) and not node.keys):
            return False
        pending += node.values if isinstance(node, Object) else []
    return True


def _agree(first: Object, row: Node) -> bool:
    """Has a row the keys of the first, in whatever order?"""
    pending: list[tuple[Node, Node]] = [(first, row)]
    while pending:
        ours, theirs = pending.pop()
        if isinstance(ours, bytes) and isinstance(theirs, bytes):
            continue
        if not isinstance(ours, Object) or not isinstance(theirs, Object) or len(ours.keys) != len(theirs.keys):
            return False
        if ours.keys == theirs.keys:
            pending += zip(ours.values, theirs.values)
            continue
        values = dict(zip(_names(theirs), theirs.values))
        names = _names(ours)
        if not values.keys() >= set(names):
            return False
        pending += ((ours.values[at], values[name]) for at, name in enumerate(names))
    return True


def _names(members: Object) -> list[str]:
    return [string_value(key.decode()) for key in members.keys]


def _check_keys(members: Object) -> None:
    names: set[str] = set()
    for name in _names(members):
        if name in names:
            raise ToonError(f"TOON cannot hold an object with the key {quoted(name)} twice")
        names.add(name)
