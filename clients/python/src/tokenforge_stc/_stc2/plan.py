"""What is written as a table, and how each of its columns is written. Nothing is written yet."""

from __future__ import annotations

from enum import Enum
from typing import Optional

from .._json import Array, Node, Object
from . import template
from .cost import cost
from .tree import Tree, children, is_record

_MAX_COLUMNS = 256
"""A table has at most this many columns."""

Cell = Optional[Node]
"""``None`` where a record lacks the column."""


class Form(Enum):
    """How the cells of a column are written."""

    CELL = 1
    """``key``: each cell a value."""
    CONSTANT = 2
    """``key:value``: no cells."""
    NESTED = 3
    """``key{columns}``: all objects; their cells stand in the row."""
    TUPLE = 4
    """``key(columns)``: objects as ``(cells)``, or null."""
    LIST = 5
    """``key[columns]``: arrays of objects as ``[cells | cells]``."""
    RUN = 6
    """``key=1,2..``: no cells."""
    TEXT = 7
    """``key="prefix"+*+"suffix"``: the cell is what stands in between."""
    DERIVED = 8
    """``key="prefix"+other+"suffix"``: no cells."""


WITHOUT_CELLS = frozenset([Form.CONSTANT, Form.RUN, Form.DERIVED])


class Column:
    """A column of a shape."""

    __slots__ = ("form", "is_sparse", "key", "last", "prefix", "run", "shape", "source", "suffix", "value")

    def __init__(self, key: bytes, is_sparse: bool) -> None:
        self.key = key
        self.is_sparse = is_sparse
        self.form = Form.CELL
        self.shape = Shape([], [])
        self.value: Node = b""
        self.run = (0, 0)
        self.prefix = self.suffix = self.source = b""
        self.last: Cell = None
        """The value it had in the record that was written last."""


class Shape:
    """The columns that objects share, and their cells."""

    __slots__ = ("columns", "is_in_order", "rows")

    def __init__(self, columns: list[Column], rows: list[list[Cell]]) -> None:
        self.columns = columns
        self.rows = rows
        self.is_in_order = False
        """Are all records written out, one after the other? Those of tuples and lists may become references."""


class Plan:
    """Which arrays and objects of a document are tables."""

    def __init__(self, tree: Tree, level: int) -> None:
        self.tree = tree
        self.level = level
        self.shapes: list[Shape] = []
        self.tables: dict[int, Shape] = {}
        """By the identity of an array or object: the shape of its rows."""
        self.cells: dict[int, list[Cell]] = {}
        """By the identity of an object that is a record: its cells."""
        pending = [tree.root]
        while pending:
            node = pending.pop()
            # A row is a line: there are no tables inside a table.
            if not isinstance(node, bytes) and not self.plan_table(node):
                pending += children(node)

    def plan_table(self, node: Array | Object) -> bool:
        if self.level == 1 and isinstance(node, Object):
            return False
        shape = self.shape(children(node))
        if shape is None:
            return False
        shape.is_in_order = True
        self.tables[id(node)] = shape
        unchosen = len(self.shapes) - 1
        while unchosen < len(self.shapes):
            self.choose_forms(self.shapes[unchosen])
            unchosen += 1
        return True

    def shape(self, nodes: Array) -> Shape | None:
        """A new shape of these values, if they are objects with enough in common; its columns are still plain."""
        if len(nodes) < 2 or not all(map(is_record, nodes)):
            return None
        records = [node for node in nodes if isinstance(node, Object)]
        merged = _merge(records, self.level)
        if merged is None:
            return None
        keys, present = merged
        rows = [_cells(record, keys) for record in records]
        columns = [Column(key, count < len(records)) for key, count in zip(keys, present)]
        for record, row in zip(records, rows):
            self.cells[id(record)] = row
        shape = Shape(columns, rows)
        self.shapes.append(shape)
        return shape

    def choose_forms(self, shape: Shape) -> None:
        if self.level == 1:
            return
        sources: list[template.Source] = []
        for index, column in enumerate(shape.columns):
            cells = [row[index] for row in shape.rows]
            column.form = self.choose_form(shape, column, cells, sources)
            if self.level == 3 and column.form in (Form.CELL, Form.TEXT):
                source = template.source(column.key, cells)
                if source:
                    sources.append(source)
        # A record without any cell would be an empty line, or nothing at all.
        if all(column.form in WITHOUT_CELLS for column in shape.columns):
            shape.columns[0].form = Form.CELL

    def choose_form(
        self, shape: Shape, column: Column, cells: list[Cell], sources: list[template.Source]
    ) -> Form:
        """The first form that fits, from the most to the least saved."""
        present = [cell for cell in cells if cell is not None]
        is_full = len(present) == len(cells)
        if is_full and all(self.tree.same(cell, present[0]) for cell in present):
            column.value = present[0]
            return Form.CONSTANT
        records = [cell for cell in present if is_record(cell)]
        if not records and all(isinstance(cell, bytes) for cell in present):
            lexemes = [cell for cell in present if isinstance(cell, bytes)]
            return self.choose_scalar_form(shape, column, lexemes, is_full, sources)
        if len(records) >= 2 and all(cell == b"null" or is_record(cell) for cell in present):
            inner = self.shape(records)
            if inner is None:
                return Form.CELL
            column.shape = inner
            is_nested = len(records) == len(cells) and not self.is_repetitive(inner, records)
            inner.is_in_order = is_nested and shape.is_in_order
            return Form.NESTED if is_nested else Form.TUPLE
        arrays = [cell for cell in present if isinstance(cell, list)]
        if len(arrays) == len(present):
            listed = self.shape([element for array in arrays for element in array])
            if listed:
                column.shape = listed
                return Form.LIST
        return Form.CELL

    def choose_scalar_form(
        self, shape: Shape, column: Column, lexemes: list[bytes], is_full: bool, sources: list[template.Source]
    ) -> Form:
        if self.level < 3:
            return Form.CELL
        if is_full and shape.is_in_order:
            run = template.run(lexemes)
            if run:
                column.run = run
                return Form.RUN
        strings = [lexeme[1:-1] for lexeme in lexemes if lexeme[0] == 0x22]
        if len(strings) < 2 or not all(lexeme[0] == 0x22 or lexeme == b"null" for lexeme in lexemes):
            return Form.CELL
        if any(b"\\" in string for string in strings):
            return Form.CELL
        if is_full and len(strings) == len(lexemes):
            derived = template.derived(strings, sources)
            if derived:
                column.prefix, column.source, column.suffix = derived
                return Form.DERIVED
        edges = template.edges(strings)
        if edges is None:
            return Form.CELL
        column.prefix, column.suffix = edges
        return Form.TEXT

    def is_repetitive(self, shape: Shape, records: Array) -> bool:
        """Do these objects repeat so often that references to whole objects are cheaper than their cells?"""
        if self.level < 3 or len(shape.columns) < 3:
            return False
        return 2 * len(set(map(self.tree.print, records))) <= len(records)


def _merge(records: list[Object], level: int) -> tuple[list[bytes], list[int]] | None:
    """The columns that hold all records in their order of keys, and how many records have each; nothing if there are no
    such columns, or if they cost no less than the keys do."""
    keys: list[bytes] = []
    present: list[int] = []
    for index, record in enumerate(records):
        if record.keys == keys:
            present = [count + 1 for count in present]
            continue
        is_fixed = level == 1 and index > 0
        place = 0
        for key in record.keys:
            try:
                place = keys.index(key, place)
            except ValueError:
                if key in keys or is_fixed or len(keys) == _MAX_COLUMNS:
                    return None
                keys.insert(place, key)
                present.insert(place, 0)
            present[place] += 1
            place += 1
        if level == 1 and len(record.keys) != len(keys):
            return None
    costs = [cost(key[1:-1]) + 1 for key in keys]
    header = sum(costs) + sum(len(records) - count for count in present)
    members = sum(cost * count for cost, count in zip(costs, present))
    return (keys, present) if header < members else None


def _cells(record: Object, keys: list[bytes]) -> list[Cell]:
    """The value of each column."""
    if record.keys == keys:
        return list(record.values)
    cells: list[Cell] = []
    at = 0
    for key in keys:
        if at < len(record.keys) and record.keys[at] == key:
            cells.append(record.values[at])
            at += 1
        else:
            cells.append(None)
    return cells
