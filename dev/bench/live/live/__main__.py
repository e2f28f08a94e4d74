"""The command: see README.md."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Optional

from . import manifest as manifests
from .campaign import Board, Campaign
from .install import Tools
from .report import report
from .swebench import Swebench
from .thol import Thol

HERE = Path(__file__).resolve().parent.parent


def main(arguments: Optional[list[str]] = None) -> int:
    options = parsed(arguments)
    manifest = manifests.read(Path(options.manifest))
    program = Path(os.environ.get("TOKENFORGE", HERE.parents[2] / "target" / "release" / "tokenforge")).absolute()
    if not os.access(program, os.X_OK):
        raise SystemExit(f"{program} is not there: cargo build --release -p tokenforge, or name it in TOKENFORGE")
    key = os.environ.get(manifest.key, "")
    if not key:
        raise SystemExit(f"{manifest.key} is not set: it is the one key that a run needs")
    target = Path(os.environ.get("CARGO_TARGET_DIR") or HERE.parents[2] / "target").absolute()
    tools = Tools(target / "live")
    arms = manifest.chosen(options.arms)
    for arm in arms:
        tools.arm(arm)
    for name in ([options.board] if options.board != "all" else list(manifest.boards)):
        settings = {**manifest.board(name), **({"tasks": options.tasks.split(",")} if options.tasks else {})}
        campaign = Campaign(
            manifest, name, board(name, settings, tools, manifest.key, key), arms, options.repetitions or settings["repetitions"],
            options.upstream or manifest.upstream, Path(options.out or target / "live" / "results").absolute(),
            {"tokenforge": str(program), "tools": str(tools.folder)}, budget=options.budget_usd or settings["budget_usd"],
        )
        rows = campaign.run(options.parallel)
        print(report(name, settings["cost"], rows, [arm.name for arm in arms], is_dry=bool(options.upstream)))
    return 0


def board(name: str, settings: dict[str, Any], tools: Tools, key_name: str, key: str) -> Board:
    if name == "thol":
        harness = settings["harness"]
        checkout = Path(harness["folder"]) if "folder" in harness else tools.harness(harness)
        return Thol(checkout, tools.claude(settings["agent"]["npm"]), settings, key)
    return Swebench(tools.venv("swebench", settings["agent"]["pip"]), settings, key_name, key)


def parsed(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev/bench/live/run", description="Real agents on real tasks, with and without compression. It costs money: read PROTOCOL.md first.")
    parser.add_argument("board", choices=["thol", "swebench", "all"])
    parser.add_argument("--arms", help="some arms, by name; `none` is always run [all]")
    parser.add_argument("--tasks", help="some tasks, by name [those of the manifest]")
    parser.add_argument("--repetitions", type=int, help="[those of the manifest]")
    parser.add_argument("--budget-usd", type=float, help="no run begins when so much is spent [that of the manifest]")
    parser.add_argument("--parallel", type=int, default=1, help="blocks at once [%(default)s]")
    parser.add_argument("--out", help="folder for rows and logs; what is there is not run again [target/live/results]")
    parser.add_argument("--manifest", default=str(HERE / "manifest.json"), help="[%(default)s]")
    parser.add_argument("--upstream", help="another provider, such as a mock: the report is then that of a dry run")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
