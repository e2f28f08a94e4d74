"""Installs harnesses, agents and peers in the versions of the manifest, below one folder; what is there is not installed again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from .manifest import Arm


class Tools:
    """A folder with all that is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def arm(self, arm: Arm) -> None:
        if arm.pip:
            self.venv(arm.name, arm.pip)

    def venv(self, name: str, packages: list[str]) -> Path:
        """A Python environment of its own."""
        folder = self.folder / name
        if not _is_installed(folder, packages):
            print(f"installing {', '.join(packages)}", file=sys.stderr)
            _run([sys.executable, "-m", "venv", "--clear", str(folder)])
            _run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *packages])
            _note(folder, packages)
        return folder

    def claude(self, package: str) -> Path:
        """Claude Code from npm. The folder is that of tests/agents, so that it is there once."""
        folder = self.folder.parent / "agents" / "claude"
        if not _is_installed(folder, [package]):
            print(f"installing {package}", file=sys.stderr)
            _run(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", package])
            _note(folder, [package])
        return folder / "node_modules" / ".bin" / "claude"

    def harness(self, source: dict[str, Any]) -> Path:
        """A checkout at one commit, with its fixtures made, which are the same bytes everywhere."""
        folder = self.folder / "thol"
        if not _is_installed(folder, [source["commit"]]):
            print(f"cloning {source['git']} at {source['commit'][:8]}", file=sys.stderr)
            if not (folder / ".git").exists():
                _run(["git", "clone", "--quiet", source["git"], str(folder)])
            _run(["git", "-C", str(folder), "checkout", "--quiet", source["commit"]])
            # The first empties the folders that the others add to.
            for script in sorted((folder / "fixtures").glob("gen*.py"), key=lambda path: path.name != "generate_fixtures.py"):
                _run([sys.executable, str(script)], cwd=folder)
            _note(folder, [source["commit"]])
        return folder


def _is_installed(folder: Path, what: list[str]) -> bool:
    marker = folder / "installed"
    return marker.is_file() and marker.read_text().split() == what


def _note(folder: Path, what: list[str]) -> None:
    (folder / "installed").write_text("\n".join(what) + "\n")


def _run(command: list[str], **options: Any) -> None:
    try:
        subprocess.run(command, check=True, stdout=sys.stderr, **options)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"cannot install: {error}") from None
