"""JSON to STC 2: every string and number is copied as it was written."""

from __future__ import annotations

from .._json import Array, Node, Object, parse
from .._steps import Steps, run
from .cost import cost_behind_space
from .decode import HEADER
from .lexeme import is_bare, is_bare_tail, is_bare_text, spelled_key
from .plan import WITHOUT_CELLS, Cell, Column, Form, Plan, Shape
from .share import Shares
from .tree import Tree, children


def encode(data: bytes, level: int) -> bytes | None:
    """Writes a JSON text; ``None`` if minified JSON is no longer."""
    tree = Tree(parse(data))
    plan = Plan(tree, level)
    shares = Shares(tree) if level == 3 else None
    if shares:
        _Writer(plan, shares).write()
        shares.choose()
    written = _Writer(plan, shares).write()
    return bytes(written) if len(written) < tree.minified_length else None


class _Writer:
    def __init__(self, plan: Plan, shares: Shares | None) -> None:
        self.plan = plan
        self.tree = plan.tree
        self.shares = shares
        self.is_in_header = False
        self.out = bytearray(HEADER)
        self.is_first_cell = False
        self.is_behind_table = False
        for shape in plan.shapes:
            for column in shape.columns:
                column.last = None

    def write(self) -> bytearray:
        run(self.value(self.tree.root))
        return self.out

    def value(self, node: Node) -> Steps | None:
        """Writes a scalar; for a container, returns the steps that write it."""
        if isinstance(node, bytes):
            if node[0] == 0x22:
                self.string(node)
            else:
                self.out += node
            return None
        if not children(node):
            self.out += b"{}" if isinstance(node, Object) else b"[]"
            return None
        if not self.is_to_be_written(node):
            return None
        shape = self.plan.tables.get(id(node))
        if shape:
            return self.table(shape, node)
        return self.object(node) if isinstance(node, Object) else self.array(node)

    def object(self, node: Object) -> Steps:
        self.out += b"{"
        for index, (key, item) in enumerate(zip(node.keys, node.values)):
            if index:
                self.separate()
            self.out += spelled_key(key) + b":"
            value = self.value(item)
            if value:
                yield value
        self.is_behind_table = False
        self.out += b"}"

    def array(self, node: Array) -> Steps:
        self.out += b"["
        for index, item in enumerate(node):
            if index:
                self.separate()
            value = self.value(item)
            if value:
                yield value
        self.is_behind_table = False
        self.out += b"]"

    def separate(self) -> None:
        """What stands between members and elements. Behind a table the line ends."""
        self.out += b"\n" if self.is_behind_table else b" "
        self.is_behind_table = False

    def table(self, shape: Shape, node: Array | Object) -> Steps:
        records = children(node)
        keys = node.keys if isinstance(node, Object) else None
        self.out += (b"[%d]{" if keys is None else b"{%d}{") % len(records)
        self.is_in_header = True
        yield self.columns(shape, b"}")
        self.is_in_header = False
        for index, record in enumerate(records):
            self.out += b"\n"
            if keys is not None:
                self.out += spelled_key(keys[index]) + b":"
            yield self.record(shape, record)
        self.is_behind_table = True

    def columns(self, shape: Shape, close: bytes) -> Steps:
        for index, column in enumerate(shape.columns):
            if index:
                self.out += b" "
            self.out += spelled_key(column.key)
            if column.is_sparse:
                self.out += b"?"
            if column.form is Form.CONSTANT:
                self.out += b":"
                value = self.value(column.value)
                if value:
                    yield value
            elif column.form in _BRACKETS:
                opening, closing = _BRACKETS[column.form]
                self.out += opening
                yield self.columns(column.shape, closing)
            elif column.form is Form.RUN:
                self.out += b"=%d,%d.." % column.run
            elif column.form is not Form.CELL:
                source = column.source if column.form is Form.DERIVED else b"*"
                prefix = b'"%b"+' % column.prefix if column.prefix else b""
                suffix = b'+"%b"' % column.suffix if column.suffix else b""
                self.out += b"=" + prefix + source + suffix
        self.out += close

    def record(self, shape: Shape, record: Node) -> Steps:
        self.is_first_cell = True
        return self.cells(shape, self.plan.cells[id(record)])

    def cells(self, shape: Shape, row: list[Cell]) -> Steps:
        for column, cell in zip(shape.columns, row):
            if column.form in WITHOUT_CELLS:
                continue
            if column.form is Form.NESTED:
                yield self.cells(column.shape, self.plan.cells[id(cell)])
                continue
            if not self.is_first_cell:
                self.out += b" "
            self.is_first_cell = False
            above, column.last = column.last, cell
            if cell is None:
                self.out += b"-"
            elif self.shares and above is not None and self.is_ditto(above, cell, column):
                self.out += b"^"
            else:
                value = self.cell(column, cell)
                if value:
                    yield value

    def cell(self, column: Column, cell: Node) -> Steps | None:
        if column.form is Form.TEXT and isinstance(cell, bytes) and cell != b"null":
            text = _between(cell, column)
            self.out += text if is_bare_text(text) else b'"' + text + b'"'
            return None
        if column.form is Form.TUPLE and isinstance(cell, Object):
            return self.tuple(column.shape, cell) if self.is_to_be_written(cell) else None
        if column.form is Form.LIST and children(cell):
            return self.records(column.shape, children(cell)) if self.is_to_be_written(cell) else None
        return self.value(cell)

    def tuple(self, shape: Shape, record: Object) -> Steps:
        self.out += b"("
        yield self.record(shape, record)
        self.out += b")"
        self.is_first_cell = False

    def records(self, shape: Shape, records: Array) -> Steps:
        self.out += b"["
        for index, record in enumerate(records):
            if index:
                self.out += b" | "
            yield self.record(shape, record)
        self.out += b"]"
        self.is_first_cell = False

    def is_ditto(self, above: Node, cell: Node, column: Column) -> bool:
        """Is this cell the same as the one above, and longer than the mark that says so?"""
        if not self.tree.same(above, cell):
            return False
        if not isinstance(cell, bytes):
            return bool(children(cell))
        if cell[0] != 0x22:
            return cost_behind_space(cell) > 1
        if column.form is Form.TEXT:
            text = _between(cell, column)
            return not is_bare_text(text) or cost_behind_space(text) > 1
        return not is_bare(cell[1:-1]) or cost_behind_space(cell[1:-1]) > 1

    def string(self, string: bytes) -> None:
        sharing = self.shares.meet(string) if self.shares and not self.is_in_header else None
        text = string[1:-1]
        if sharing is None:
            self.out += text if is_bare(text) else string
        elif sharing.prefix is not None:
            prefix = sharing.prefix
            self.out += b'&%d"%b"' % (sharing.number, prefix) if sharing.is_new else b"*%d" % sharing.number
            tail = text[len(prefix) :]
            if tail:
                self.out += tail if is_bare_tail(tail) else b'"' + tail + b'"'
        elif sharing.is_new:
            self.out += b"&%d%b" % (sharing.number, string)
        else:
            self.out += b"*%d" % sharing.number

    def is_to_be_written(self, node: Node) -> bool:
        """Writes a reference to a container that was written before, or the number by which it will be referred to.
        False if it was a reference, and nothing is left to write."""
        sharing = self.shares.meet(node) if self.shares and not self.is_in_header else None
        if sharing is None:
            return True
        self.out += (b"&%d" if sharing.is_new else b"*%d") % sharing.number
        return sharing.is_new


_BRACKETS = {Form.NESTED: (b"{", b"}"), Form.TUPLE: (b"(", b")"), Form.LIST: (b"[", b"]")}


def _between(string: bytes, column: Column) -> bytes:
    """What stands between the prefix and the suffix of the column."""
    return string[1 + len(column.prefix) : len(string) - 1 - len(column.suffix)]
