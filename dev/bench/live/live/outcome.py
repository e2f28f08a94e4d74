"""What came of one run, before it is priced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

DONE = ("ok", "timeout")
"""An agent that was too slow did not solve its task. Anything else that went wrong says nothing about an arm: it is run again."""


@dataclass(frozen=True)
class Outcome:
    """`status` is one of `DONE`, or what broke."""

    status: str
    score: float = 0.0
    solved: bool = False
    turns: Optional[int] = None
    agent_cost: Optional[float] = None
    detail: str = ""
