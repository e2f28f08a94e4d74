"""Diff headers: one line for each file is four again."""

from __future__ import annotations

import re

from .error import TooLarge

LEGEND = (
    '[Forge diff: "file P A..B" stands for "diff --git a/P b/P", "index A..B 100644", "--- a/P", "+++ b/P"]\n'
)

_FILE = re.compile(r"^file ([^\n]+) ([0-9a-f]{4,64}\.\.[0-9a-f]{4,64})$", re.MULTILINE)


def is_written(text: str) -> bool:
    return text.startswith(LEGEND)


def decode(text: str, max_output: int) -> str:
    body = text[len(LEGEND) :]
    longer = sum(3 * len(found[1]) for found in _FILE.finditer(body))
    if len(body) + longer > max_output:
        raise TooLarge
    return _FILE.sub(r"diff --git a/\1 b/\1\nindex \2 100644\n--- a/\1\n+++ b/\1", body)
