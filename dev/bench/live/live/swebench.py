"""The SWE-bench board: mini-swe-agent solves an instance, SWE-bench's own harness says whether it did."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

from .gateway import environment
from .outcome import Outcome
from .thol import tail

GRADE = Path(__file__).resolve().parent / "grade.py"
HOURS = 3 * 3600


class Swebench:
    """The environment that has agent and harness, and the instances."""

    def __init__(self, venv: Path, board: dict[str, Any], key_name: str, key: str) -> None:
        self.python, self.mini = venv / "bin" / "python", venv / "bin" / "mini-extra"
        # Isolated: this folder has a module of the harness's name.
        self.grade = [str(self.python), "-IB", str(GRADE)]
        self.board, self.key_name, self.key = board, key_name, key

    def tasks(self) -> list[str]:
        """The instances: those that are named, or so many drawn by the seed of the manifest."""
        drawn = self.board["tasks"]
        if isinstance(drawn, list):
            return drawn
        done = subprocess.run([*self.grade, "list", self.board["dataset"], self.board["split"]],
                              capture_output=True, text=True, check=True)
        names = sorted(json.loads(done.stdout.splitlines()[-1]))
        return random.Random(drawn["seed"]).sample(names, min(drawn["draw"], len(names)))

    def run(self, name: str, url: str, folder: Path) -> Outcome:
        home, out = folder / "home", folder / "mini"
        home.mkdir(parents=True)
        overrides = folder / "overrides.yaml"  # JSON is YAML
        overrides.write_text(json.dumps(self._overrides(url)))
        command = [str(self.mini), "swebench", "--subset", self.board["dataset"], "--split", self.board["split"],
                   "--filter", f"^{name}$", "--output", str(out), "--workers", "1", "--config", "swebench.yaml", "--config", str(overrides)]
        env = environment(home, MSWEA_GLOBAL_CONFIG_DIR=str(home), MSWEA_CONFIGURED="true", MSWEA_SILENT_STARTUP="1", LITELLM_LOCAL_MODEL_COST_MAP="True",
                          **{self.key_name: self.key})
        with open(folder / "agent.log", "wb") as log:
            try:
                subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=HOURS)
            except subprocess.TimeoutExpired:
                return Outcome("timeout", detail=f"no end after {HOURS} s")
        predictions, trajectory = out / "preds.json", out / name / f"{name}.traj.json"
        if not trajectory.is_file():
            return Outcome("agent_error", detail=f"no trajectory: {tail(folder / 'agent.log')}")
        info = json.loads(trajectory.read_text(encoding="utf-8"))["info"]
        status = str(info.get("exit_status"))
        stats = info.get("model_stats") or {}
        figures: dict[str, Any] = {"turns": stats.get("api_calls"), "agent_cost": stats.get("instance_cost")}
        # An agent that submits, or reaches a limit of its own, is graded. An exception is the harness's or the provider's.
        if status not in ("Submitted", "LimitsExceeded", "TimeExceeded"):
            return Outcome("agent_error", detail=f"{status}: {str(info.get('exception_str') or '')[:200]}", **figures)
        solved = self.verify(name, predictions, folder)
        return Outcome("ok", float(solved), solved, detail=status, **figures)

    def verify(self, name: str, predictions: Path, folder: Path) -> bool:
        """Grades a prediction with SWE-bench's harness, in the image of the instance or, in dry runs, in a clone of its repository."""
        done = subprocess.run([*self.grade, "grade", self.board["dataset"], self.board["split"], name, str(predictions),
                               self.board["environment"]], cwd=folder, env=os.environ, capture_output=True, text=True)
        (folder / "grade.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(f"the verifier broke; see {folder / 'grade.log'}")
        return bool(json.loads(done.stdout.splitlines()[-1])["resolved"])

    def _overrides(self, url: str) -> dict[str, Any]:
        model = {"model_name": f"anthropic/{self.board['model']}", "model_kwargs": {"api_base": url}, "cost_tracking": "ignore_errors"}
        agent = {"step_limit": self.board["step_limit"], "cost_limit": self.board["cost_limit"]}
        machine: dict[str, Any] = {"environment_class": self.board["environment"]}
        if self.board["environment"] == "local":
            machine["cwd"] = self.board["workspace"]
        return {"model": model, "agent": agent, "environment": machine}
