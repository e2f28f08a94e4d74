"""A header, once read: what to do for each record."""

from __future__ import annotations

from enum import Enum


class Step(Enum):
    """How a column makes its member."""

    CELL = 1
    TEXT = 2
    TUPLE = 3
    LIST = 4
    CONSTANT = 5
    RUN = 6
    DERIVED = 7
    OPEN = 8
    """The start of a nested object."""
    CLOSE = 9


_WITH_CELL = frozenset([Step.CELL, Step.TEXT, Step.TUPLE, Step.LIST])


class Shape:
    """The steps that make a record, in order."""

    __slots__ = ("ops",)

    def __init__(self) -> None:
        self.ops: list[Op] = []


class Op:
    """A step, and what it needs. ``key`` is the key as JSON with its colon; of a constant, the whole member."""

    __slots__ = (
        "has_cell",
        "is_sparse",
        "key",
        "last",
        "next",
        "prefix",
        "shape",
        "source",
        "step",
        "step_width",
        "suffix",
    )

    def __init__(
        self,
        kind: Step,
        key: bytes = b"",
        is_sparse: bool = False,
        *,
        prefix: bytes = b"",
        suffix: bytes = b"",
        shape: Shape | None = None,
        source: int = 0,
        next: int = 0,
        step: int = 0,
    ) -> None:
        self.step = kind
        self.has_cell = kind in _WITH_CELL
        self.key = key
        self.is_sparse = is_sparse
        self.prefix = prefix
        self.suffix = suffix
        self.shape = shape or Shape()
        self.source = source
        self.next = next
        self.step_width = step
        self.last: tuple[int, int] | None = None
        """Where in the output the value is that it made last, if it made one."""
