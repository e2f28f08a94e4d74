"""A conversation with two tools and big outputs, and what a model does in it: it calls one after the other, then asks for what
was left out of the first result, if something was."""

from __future__ import annotations

import json
import re
from typing import Any, Optional, Sequence

import tokenforge_engine as tokenforge

LOG = "".join(f"test api::case_{n:03} ... ok\n" for n in range(300))
ISSUES = json.dumps([{"id": n, "state": "open", "title": f"Number {n} is broken"} for n in range(200)])
REFERENCE = re.compile(r"shadow_[a-z]{35}")


def bash(command: str) -> str:
    """Runs a command."""
    return LOG


def list_issues(state: str) -> str:
    """Lists issues."""
    return ISSUES


def next_call(results: Sequence[str]) -> Optional[tuple[str, dict[str, Any]]]:
    """What the model calls after these results; nothing: it answers."""
    if len(results) == 0:
        return "bash", {"command": "cargo test"}
    if len(results) == 1:
        return "list_issues", {"state": "open"}
    reference = REFERENCE.search(results[0])
    if len(results) == 2 and reference:
        return "expand_context", {"id": reference.group()}
    return None


def check_requests(requests: Sequence[Sequence[str]], leaves_out: bool) -> None:
    """What the model was given, call by call: it is smaller, whole in the end, and never changes."""
    last = requests[-1]
    assert [len(results) for results in requests] == ([0, 1, 2, 3] if leaves_out else [0, 1, 2])
    for results in requests:
        assert list(results) == list(last[: len(results)])
    assert len(last[1]) < 0.8 * len(ISSUES)
    assert json.loads(tokenforge.decode(last[1])) == json.loads(ISSUES)
    if leaves_out:
        assert len(last[0]) < 0.1 * len(LOG) and last[2] == LOG
    else:
        assert last[0] == LOG or tokenforge.decode(last[0]) == LOG
