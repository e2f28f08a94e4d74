"""Nesting without recursion, so that the caller's stack never matters.

A container is a generator that works through its content and yields a generator for each container inside it.
"""

from __future__ import annotations

from collections.abc import Iterator

Steps = Iterator["Steps"]


def run(steps: Steps | None) -> None:
    """Takes the steps to their end, each container inside before the next step of the one around it."""
    if steps is None:
        return
    pending: list[Steps] = [steps]
    while pending:
        inner = next(pending[-1], None)
        if inner is None:
            pending.pop()
        else:
            pending.append(inner)
