"""What the linters of workflows do not look into: the shell in them, and PowerShell. Runs in the test's own environment."""

import subprocess
import sys
from pathlib import Path

import tree_sitter
import tree_sitter_powershell
import yaml

ROOT = Path(__file__).resolve().parent.parent
SHELLCHECK = Path(sys.executable).parent / "shellcheck"


def steps():
    for workflow in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for name, job in yaml.safe_load(workflow.read_text())["jobs"].items():
            for step in job.get("steps", []):
                if "run" in step:
                    yield f"{workflow.name}, {name}: {step.get('name', step['run'].splitlines()[0])}", step


def wrong_in_bash(script):
    checked = subprocess.run([SHELLCHECK, "--shell=bash", "-"], input=script, capture_output=True, text=True)
    return checked.stdout


def wrong_in_powershell(script):
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
    nodes, wrong = [parser.parse(script.encode()).root_node], []
    while nodes:
        node = nodes.pop()
        if node.type == "ERROR" or node.is_missing:
            wrong.append(f"line {node.start_point[0] + 1}: not PowerShell: {node.text.decode()[:60]}")
        nodes += node.children
    return "\n".join(wrong)


found = {"install.ps1": wrong_in_powershell((ROOT / "install.ps1").read_text())}
for place, step in steps():
    if "${{" in step["run"]:
        found[place] = "an expression becomes part of a script: hand it over in `env`"
    else:
        found[place] = (wrong_in_powershell if step.get("shell") == "powershell" else wrong_in_bash)(step["run"])
for place, wrong in found.items():
    if wrong:
        print(f"{place}\n{wrong}", file=sys.stderr)
sys.exit(any(found.values()))
