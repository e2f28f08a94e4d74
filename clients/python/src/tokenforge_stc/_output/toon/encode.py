"""JSON to TOON. Only what was decoded is written here, to see whether it was TOON."""

from __future__ import annotations

from typing import Literal

from ..._error import StcError
from ..._json import Array, Node, Object, parse
from ..._steps import Steps, run
from ..error import Unreadable
from .scalar import from_json, key_from_json


def encode(json: str) -> str:
    """A JSON text as TOON; unreadable if TOON cannot hold it, or if it could not have been read from TOON."""
    try:
        root = parse(json.encode())
    except StcError:
        raise Unreadable from None
    encoder = _Encoder()
    run(encoder.document(root))
    return "".join(encoder.out)


class _Encoder:
    def __init__(self) -> None:
        self.out: list[str] = []

    def document(self, root: Node) -> Steps:
        if isinstance(root, bytes):
            raise Unreadable
        if root == []:
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
            self.cells(row)

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
            self.cells(row)
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

    def cells(self, row: Node) -> None:
        self.out.append(",".join(from_json(cell.decode()) for cell in _cells(row)))


def _cells(row: Node) -> list[bytes]:
    cells: list[bytes] = []
    pending = [row]
    while pending:
        node = pending.pop()
        if isinstance(node, bytes):
            cells.append(node)
        elif isinstance(node, Object):
            pending += reversed(node.values)
    return cells


def _is_keyed_table(members: Object) -> bool:
    return len(members.keys) > 1 and _is_table(members.values)


def _is_table(rows: Array) -> bool:
    """Are these objects that agree on their keys, with scalars, or objects that agree again, in every column?"""
    first = rows[0] if rows else None
    if not isinstance(first, Object) or not _is_record(first):
        return False
    orders = [_agree(first, row) for row in rows[1:]]
    if "none" in orders:
        return False
    # Rows in another order make a table all the same; but what is read from a table is in its order.
    if "other" in orders:
        raise Unreadable
    return True


def _is_record(node: Node) -> bool:
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, list) or (isinstance(node, Object) and not node.keys):
            return False
        pending += node.values if isinstance(node, Object) else []
    return True


def _agree(first: Object, row: Node) -> Literal["same", "other", "none"]:
    """Has a row the keys of the first, in the same or another order?"""
    order: Literal["same", "other"] = "same"
    pending: list[tuple[Node, Node]] = [(first, row)]
    while pending:
        ours, theirs = pending.pop()
        if isinstance(ours, bytes) and isinstance(theirs, bytes):
            continue
        if not isinstance(ours, Object) or not isinstance(theirs, Object) or len(ours.keys) != len(theirs.keys):
            return "none"
        values = dict(zip(theirs.keys, theirs.values))
        if not values.keys() >= set(ours.keys):
            return "none"
        if ours.keys != theirs.keys:
            order = "other"
        pending += ((value, values[key]) for key, value in zip(ours.keys, ours.values))
    return order


def _check_keys(members: Object) -> None:
    if len(set(members.keys)) < len(members.keys):
        raise Unreadable
