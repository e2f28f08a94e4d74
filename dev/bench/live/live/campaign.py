"""A campaign: blocks of runs in an order drawn by a seed, each written down when it is over, none run twice."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Optional, Protocol

from .bill import bill
from .gateway import ArmError, filled, gateway
from .manifest import Arm, Manifest
from .meter import Meter
from .outcome import DONE, Outcome

ATTEMPTS = 3
Row = dict[str, Any]


class Board(Protocol):
    def tasks(self) -> list[str]: ...

    def run(self, name: str, url: str, folder: Path) -> Outcome: ...


@dataclass(frozen=True)
class Campaign:
    """What is run, and where its rows and files go."""

    manifest: Manifest
    name: str
    board: Board
    arms: list[Arm]
    repetitions: int
    upstream: str
    folder: Path
    values: dict[str, str]
    seed: int = 20261119
    budget: Optional[float] = None

    @property
    def rows_file(self) -> Path:
        return self.folder / f"{self.name}.jsonl"

    def rows(self) -> list[Row]:
        if not self.rows_file.exists():
            return []
        return [json.loads(line) for line in self.rows_file.read_text(encoding="utf-8").splitlines()]

    def blocks(self) -> "list[tuple[int, str, list[Arm]]]":
        """Every task once with every arm, then all of them again. A block's arms follow each other in an order of chance, so
        that no arm always has the warm cache, the quiet hour or the newer model."""
        dice = random.Random(f"{self.name} {self.seed}")
        found = []
        for repetition in range(1, self.repetitions + 1):
            tasks = self.board.tasks()
            dice.shuffle(tasks)
            found += [(repetition, task, dice.sample(self.arms, len(self.arms))) for task in tasks]
        return found

    def run(self, parallel: int = 1) -> list[Row]:
        """Runs what is missing. Interrupted, it goes on where it was."""
        self.folder.mkdir(parents=True, exist_ok=True)
        versions = {arm.name: self.version(arm) for arm in self.arms}
        rows, lock = self.rows(), Lock()
        done = {(row["task"], row["arm"], row["repetition"]) for row in rows if row["status"] in DONE}
        spent = [sum(row["cost"] or 0 for row in rows)]

        def block(what: "tuple[int, str, list[Arm]]") -> None:
            repetition, task, arms = what
            for arm in arms:
                for attempt in range(ATTEMPTS):
                    if (task, arm.name, repetition) in done:
                        break
                    if self.budget is not None and spent[0] >= self.budget:
                        return
                    row = self.one(arm, task, repetition, attempt, versions)
                    with lock:
                        spent[0] += row["cost"] or 0
                        with open(self.rows_file, "a", encoding="utf-8") as file:
                            file.write(json.dumps(row) + "\n")
                        cost = "?" if row["cost"] is None else f"{row['cost']:.3f}"
                        print(f"{self.name} {task} {arm.name} {repetition}: {row['status']}, score {row['score']}, ${cost} (${spent[0]:.2f} in all)", flush=True)
                    if row["status"] in DONE:
                        break

        with ThreadPoolExecutor(parallel) as threads:
            list(threads.map(block, self.blocks()))
        return self.rows()

    def one(self, arm: Arm, task: str, repetition: int, attempt: int, versions: dict[str, str]) -> Row:
        """One run: the arm's gateway, the agent, the verifier, the bill."""
        kept = self.folder / "runs" / f"{self.name}.{task}.{arm.name}.{repetition}.{attempt}"
        began, at = time.monotonic(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with tempfile.TemporaryDirectory(prefix="live-") as scratch, Meter(self.upstream) as meter:
            folder = Path(scratch)
            try:
                with gateway(arm, meter.url, folder, **self.values) as url:
                    outcome = self.board.run(task, url, folder)
            except ArmError as error:
                outcome = Outcome("arm_error", detail=str(error))
            except (OSError, RuntimeError, subprocess.SubprocessError) as error:
                outcome = Outcome("harness_error", detail=str(error)[:300])
            keep(folder, kept)
        charged = bill(meter.requests, self.manifest.prices)
        status = outcome.status
        if status in DONE and charged.cost is None:
            status = "unmetered"  # solved or not, nothing can be said about its cost
        return {
            "board": self.name, "task": task, "arm": arm.name, "repetition": repetition, "at": at, "versions": versions[arm.name],
            "status": status, "seconds": round(time.monotonic() - began, 1), **asdict(charged),
            **{name: value for name, value in asdict(outcome).items() if name != "status"},
        }

    def version(self, arm: Arm) -> str:
        if not arm.version:
            return ""
        try:
            done = subprocess.run(filled(arm.version, **self.values), capture_output=True, text=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise SystemExit(f"arm {arm.name} cannot be run: {error}") from None
        return done.stdout.strip()


def keep(folder: Path, kept: Path) -> None:
    """Logs, answers and trajectories of a run; workspaces and homes go."""
    kept.mkdir(parents=True, exist_ok=True)
    for file in folder.rglob("*"):
        if file.is_file() and (file.parent == folder or file.name.endswith(".traj.json") or file.name == "preds.json"):
            (kept / file.name).write_bytes(file.read_bytes())
