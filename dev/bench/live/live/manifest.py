"""The manifest: arms, boards and prices, as they are before a run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BASE = "none"
AGAIN = "again"


@dataclass(frozen=True)
class Arm:
    """What stands between an agent and the meter."""

    name: str
    what: str
    gateway: list[str] = field(default_factory=list)
    ready: str = ""
    version: list[str] = field(default_factory=list)
    pip: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """All of it."""

    arms: list[Arm]
    boards: dict[str, dict[str, Any]]
    prices: dict[str, Any]
    upstream: str
    key: str

    def board(self, name: str) -> dict[str, Any]:
        if name not in self.boards:
            raise SystemExit(f"there is no board {name!r}; there are {', '.join(self.boards)}")
        return self.boards[name]

    def chosen(self, names: str | None) -> list[Arm]:
        """The arms of a list of names; all without one. The base is always among them."""
        if not names:
            return self.arms
        wanted = names.split(",")
        unknown = set(wanted) - {arm.name for arm in self.arms}
        if unknown:
            raise SystemExit(f"there is no arm {', '.join(sorted(unknown))}; there are {', '.join(arm.name for arm in self.arms)}")
        return [arm for arm in self.arms if arm.name in {BASE, *wanted}]


def read(path: Path) -> Manifest:
    """Reads and checks a manifest."""
    value = json.loads(path.read_text(encoding="utf-8"))
    arms = [Arm(**arm) for arm in value["arms"]]
    if not arms or arms[0].name != BASE or arms[0].gateway:
        raise SystemExit(f"{path}: the first arm must be {BASE!r}, without a gateway: all others are compared with it")
    for name, board in value["boards"].items():
        if board["model"] not in value["prices"]:
            raise SystemExit(f"{path}: board {name} asks {board['model']}, which has no price in `prices`")
    return Manifest(arms, value["boards"], value["prices"], value["upstream"], value["key"])
