"""The shared test vectors, as pytest parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[3] / "spec" / "vectors"


def vectors(*operations: str, folder: str = ".") -> list[Any]:
    """The cases with one of these operations (all if none is named), as pytest parameters named after the case."""
    return [
        pytest.param(case, id=f"{file.stem}: {case['name']}")
        for file in sorted((VECTORS / folder).glob("*.json"))
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
        if not operations or case["op"] in operations
    ]
