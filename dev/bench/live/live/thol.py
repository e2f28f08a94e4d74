"""The THOL board: a task is a folder with `task.json`, `prompt.md` and `verify.py`; the agent is Claude Code, headless.

The harness has a runner of its own, for its own leaderboard (`thol/` has our entries for it). Runs here keep to its
contract: the same flags, a throwaway home and workspace, its verifiers unchanged. What differs: every request passes our
meter, arms are drawn in blocks, and a run that was too slow counts as unsolved instead of being left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

from .gateway import environment
from .outcome import Outcome


class Thol:
    """A checkout of the harness, with its fixtures made, and the agent."""

    def __init__(self, checkout: Path, claude: Path, board: dict[str, Any], key: str) -> None:
        self.checkout, self.claude, self.board, self.key = checkout, claude, board, key

    def tasks(self) -> list[str]:
        missing = [task for task in self.board["tasks"] if not (self.checkout / "tasks" / task / "task.json").is_file()]
        if missing:
            raise SystemExit(f"{self.checkout}/tasks has no {', '.join(missing)}")
        return list(self.board["tasks"])

    def run(self, name: str, url: str, folder: Path, wrap: Optional[list[str]] = None) -> Outcome:
        """Runs a task in a folder; `url` is where the agent finds its provider, `wrap` a command in front of the agent."""
        task = json.loads((self.checkout / "tasks" / name / "task.json").read_text(encoding="utf-8"))
        home, workspace = folder / "home", folder / "workspace"
        self._fill(workspace, task.get("workspace") or {})
        settings = home / ".claude"
        settings.mkdir(parents=True)
        (settings / ".claude.json").write_text('{"hasCompletedOnboarding": true, "bypassPermissionsModeAccepted": true}')
        (settings / "settings.json").write_text("{}")
        with open(folder / "transcript.jsonl", "wb") as transcript, open(folder / "stderr.log", "wb") as errors:
            try:
                code = subprocess.run(
                    [*(wrap or []), *self.command(name, task)], cwd=workspace, env=self._environment(home, settings, url),
                    stdin=subprocess.DEVNULL, stdout=transcript, stderr=errors, timeout=task.get("timeout_s", 1200),
                ).returncode
            except subprocess.TimeoutExpired:
                return Outcome("timeout", detail=f"no end after {task.get('timeout_s', 1200)} s")
        result = last_result(folder / "transcript.jsonl")
        if result is None:
            return Outcome("agent_error", detail=f"no result; the agent ended with {code}: {tail(folder / 'stderr.log')}")
        answer = str(result.get("result") or "")
        figures: dict[str, Any] = {"turns": result.get("num_turns"), "agent_cost": result.get("total_cost_usd")}
        # The harness does the same: a provider's failure is no failure of a task.
        if answer.startswith("API Error") or (result.get("is_error") and result.get("subtype") != "error_max_turns"):
            return Outcome("agent_error", detail=answer[:200], **figures)
        (folder / "answer.txt").write_text(answer, encoding="utf-8")
        score, said = self.verify(name, workspace, folder / "answer.txt")
        if score is None:
            return Outcome("verifier_error", detail=said[-300:], **figures)
        return Outcome("ok", score, score >= task.get("success_threshold", 1.0), detail=said[-300:], **figures)

    def command(self, name: str, task: dict[str, Any]) -> list[str]:
        prompt = (self.checkout / "tasks" / name / "prompt.md").read_text(encoding="utf-8")
        return [str(self.claude), "-p", prompt, "--output-format", "stream-json", "--verbose", "--model", self.board["model"],
                "--max-turns", str(task.get("max_turns", 40)), "--dangerously-skip-permissions", "--strict-mcp-config"]

    def verify(self, name: str, workspace: Path, answer: Path) -> "tuple[Optional[float], str]":
        """Runs the task's own verifier: `score=0.5` on a line of its output."""
        env = {**os.environ, "WORKSPACE": str(workspace), "ANSWER_FILE": str(answer), "TRUTH_DIR": str(self.checkout / "fixtures" / "truth")}
        script = self.checkout / "tasks" / name / "verify.py"
        done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=600)
        found = re.search(r"^score=([\d.]+)", done.stdout, re.MULTILINE)
        return (float(found[1]) if found else None), done.stdout + done.stderr

    def _fill(self, workspace: Path, source: dict[str, str]) -> None:
        if fixture := source.get("fixture"):
            shutil.copytree(self.checkout / "fixtures" / "out" / fixture, workspace)
        elif repository := source.get("repo"):
            lock = json.loads((self.checkout / "repos.lock.json").read_text())[repository]
            subprocess.run(["git", "clone", "--quiet", str(self._mirror(repository, lock["url"])), str(workspace)], check=True)
            subprocess.run(["git", "-C", str(workspace), "checkout", "--quiet", lock["commit"]], check=True)
        else:
            workspace.mkdir(parents=True)

    def _mirror(self, repository: str, url: str) -> Path:
        mirror = self.checkout / ".cache" / f"{repository}.git"
        if not mirror.exists():
            fresh = mirror.with_suffix(f".{os.getpid()}")
            subprocess.run(["git", "clone", "--quiet", "--mirror", url, str(fresh)], check=True)
            fresh.rename(mirror)
        return mirror

    def _environment(self, home: Path, settings: Path, url: str) -> dict[str, str]:
        env = environment(home, ANTHROPIC_API_KEY=self.key, ANTHROPIC_BASE_URL=url, CLAUDE_CONFIG_DIR=str(settings),
                          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_AUTOUPDATER="1", MCP_TIMEOUT="60000")
        if os.geteuid() == 0:
            env["IS_SANDBOX"] = "1"  # otherwise it refuses to skip permissions for root, which containers run as
        env["PATH"] = f"{self.claude.parent}{os.pathsep}{env['PATH']}"
        return env


def last_result(transcript: Path) -> Optional[dict[str, Any]]:
    found = None
    for line in transcript.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("type") == "result":
            found = event
    return found


def tail(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")[-300:].strip()
