"""The dry run: real agents, real gateways, real verifiers; only the model is a script."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from live import manifest as manifests
from live.campaign import Campaign
from live.install import Tools
from live.report import report
from live.swebench import Swebench
from live.thol import Thol

from .mock import Mock

LIVE = Path(__file__).resolve().parent.parent
MANIFEST = manifests.read(LIVE / "manifest.json")
TARGET = Path(os.environ["CARGO_TARGET_DIR"]) if "CARGO_TARGET_DIR" in os.environ else None
CHECKOUT = LIVE / "tests" / "thol"
REPAIR = "sed -i 's/entries\\[1:\\]/entries/' ledger.py"
ARMS = [arm.name for arm in MANIFEST.arms]


class Scripted:
    """A board before whose runs the mock gets a script, and after whose runs what it saw is kept."""

    def __init__(self, board, mock, script):
        self.board, self.mock, self.script, self.seen = board, mock, script, []

    def tasks(self):
        return self.board.tasks()

    def run(self, name, url, folder):
        self.mock.script(self.script)
        outcome = self.board.run(name, url, folder)
        requests = [request for request in self.mock.requests() if request["path"].startswith("/v1/messages")]
        results = [result_text(block) for request in requests[-1:] for message in request["body"]["messages"]
                   if isinstance(message["content"], list) for block in message["content"] if block["type"] == "tool_result"]
        self.seen.append({"refused": [request["refused"] for request in requests if request["refused"]],
                          "requests": len(requests), "results": "".join(results)})
        return outcome


def result_text(block):
    content = block.get("content", "")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@unittest.skipUnless(TARGET, "run by dev/bench/live/test, which builds what is needed")
class DryRun(unittest.TestCase):
    def setUp(self):
        self.tools = Tools(TARGET / "live")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        try:
            for arm in MANIFEST.arms:
                self.tools.arm(arm)
        except SystemExit as problem:
            self.skipTest(str(problem))
        self.mock = self.enterContext(Mock()) if hasattr(self, "enterContext") else self.entered(Mock())

    def entered(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def campaign(self, name, board, arms=None):
        values = {"tokenforge": os.environ["TOKENFORGE"], "tools": str(self.tools.folder)}
        # The peer asks two in a hundred requests again in the background: here that would take replies out of the script.
        calm = [replace(arm, gateway=[*arm.gateway, "--shadow", "0"]) if arm.name == "distil" else arm for arm in MANIFEST.arms]
        chosen = [arm for arm in calm if arms is None or arm.name in arms]
        return Campaign(MANIFEST, name, board, chosen, 1, self.mock.url, self.folder / "results", values)

    def check_all_arms(self, name, board):
        """Every arm solves the task; those that compress are asked fewer tokens for it; nothing is run twice."""
        campaign = self.campaign(name, board)
        rows = {row["arm"]: row for row in campaign.run()}
        seen = dict(zip(rows, board.seen))
        self.assertEqual(sorted(rows), sorted(ARMS))
        for arm, row in rows.items():
            told = f"{arm}: {row} {seen[arm]}"
            self.assertEqual((row["status"], row["solved"], row["score"]), ("ok", True, 1.0), told)
            self.assertEqual((row["unmetered"], row["unpriced"], seen[arm]["refused"]), (0, [], []), told)
            self.assertEqual(row["requests"], seen[arm]["requests"], told)
            self.assertGreater(row["cost"], 0, told)
        # What the mock received is what the agent sent: the meter changes nothing.
        self.assertEqual(seen["none"]["results"], seen["again"]["results"])
        self.assertIn('"id": 159', seen["none"]["results"])
        for arm in ("lossless", "standard"):
            self.assertLess(len(seen[arm]["results"]), len(seen["none"]["results"]), arm)
            self.assertLess(rows[arm]["tokens"]["input"] + rows[arm]["tokens"]["cache_write"] + rows[arm]["tokens"]["cache_read"],
                            rows["none"]["tokens"]["input"] + rows["none"]["tokens"]["cache_write"] + rows["none"]["tokens"]["cache_read"], arm)
        runs = len(board.seen)
        self.assertEqual(len(campaign.run()), len(ARMS))
        self.assertEqual(len(board.seen), runs, "a finished run was run again")
        text = report(name, "geometric", campaign.rows(), ARMS, is_dry=True)
        self.assertTrue(text.startswith("**DRY RUN"), text)
        print(f"\n{text}")

    def check_it_can_fail(self, name, board):
        row, = self.campaign(name, board, {"none"}).run()
        self.assertEqual((row["status"], row["solved"]), ("ok", False), row)


class ClaudeCode(DryRun):
    def setUp(self):
        super().setUp()
        settings = {**MANIFEST.board("thol"), "tasks": ["ledger"]}
        try:
            claude = self.tools.claude(settings["agent"]["npm"])
        except SystemExit as problem:
            self.skipTest(str(problem))
        self.board = Thol(CHECKOUT, claude, settings, "test")

    def script(self, *commands):
        calls = [{"call": "Bash", "arguments": {"command": command, "description": "work"}} for command in commands]
        return [*calls, {"text": "Repaired. TOTAL=38010"}]

    def test_every_arm_runs_the_task_and_the_verifier_says_it_is_solved(self):
        self.check_all_arms("thol", Scripted(self.board, self.mock, self.script("./list-entries", REPAIR, "python3 check.py")))

    def test_the_same_verifier_says_no_when_nothing_was_repaired(self):
        self.check_it_can_fail("thol", Scripted(self.board, self.mock, self.script("./list-entries")))

    def test_the_entries_for_the_leaderboard_start_the_agent_as_its_runner_would(self):
        for mode in ("lossless", "standard"):
            entry = json.loads((LIVE / "thol" / f"tokenforge-{mode}" / "manifest.json").read_text())
            program, *rest = entry["claude_wrap"]
            self.assertEqual([program], entry["requires"])
            *wrap, agent = [os.environ["TOKENFORGE"], *rest]
            self.assertEqual(agent, "claude")
            folder = self.folder / mode
            folder.mkdir()
            self.mock.script(self.script("./list-entries", REPAIR))
            outcome = self.board.run("ledger", self.mock.url, folder, wrap=wrap)
            self.assertTrue(outcome.solved, outcome)


class MiniSweAgent(DryRun):
    def setUp(self):
        super().setUp()
        settings = MANIFEST.board("swebench")
        try:
            venv = self.tools.venv("swebench", settings["agent"]["pip"])
        except SystemExit as problem:
            self.skipTest(str(problem))
        self.workspace, self.origin, dataset = self.folder / "testbed", self.folder / "origin", self.folder / "dataset"
        commit = repository(self.origin)
        dataset.mkdir()
        instance = {
            "instance_id": "ledger__ledger-1", "repo": "ledger/ledger", "base_commit": commit, "version": "1", "problem_statement": "total() loses an entry.",
            "repository": str(self.origin), "image": "none", "patch": "", "test_patch": "", "FAIL_TO_PASS": '["check.py::test_total"]',
            "PASS_TO_PASS": '["check.py::test_largest"]', "log_parser": "parse_log_pytest", "eval_type": "pass_and_fail",
            "eval_script": "#!/bin/bash\nset -uxo pipefail\n: '>>>>> Start Test Output'\npython3 check.py\n: '>>>>> End Test Output'\n",
        }
        (dataset / "test.jsonl").write_text(json.dumps(instance) + "\n")
        settings = {**settings, "dataset": str(dataset), "environment": "local", "workspace": str(self.workspace), "tasks": {"draw": 300, "seed": 1}}
        self.board = Fresh(Swebench(venv, settings, MANIFEST.key, "test"), self.origin, self.workspace)

    def script(self, *commands):
        end = ["git diff -- ledger.py > patch.txt", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt"]
        return [{"call": "bash", "arguments": {"command": command}} for command in [*commands, *end]]

    def test_every_arm_runs_the_instance_and_the_harness_says_it_is_solved(self):
        self.check_all_arms("swebench", Scripted(self.board, self.mock, self.script("./list-entries", REPAIR, "python3 check.py")))

    def test_the_same_harness_says_no_to_a_patch_that_breaks_another_test(self):
        self.check_it_can_fail("swebench", Scripted(self.board, self.mock, self.script(REPAIR, "sed -i 's/return max/return min/' ledger.py")))

    def test_a_submission_without_a_patch_is_unsolved(self):
        self.check_it_can_fail("swebench", Scripted(self.board, self.mock, self.script("./list-entries")))


class Fresh:
    """A clone of its own for every run, as a container would be."""

    def __init__(self, board, origin, workspace):
        self.board, self.origin, self.workspace = board, origin, workspace

    def tasks(self):
        return self.board.tasks()

    def run(self, name, url, folder):
        shutil.rmtree(self.workspace, ignore_errors=True)
        subprocess.run(["git", "clone", "--quiet", str(self.origin), str(self.workspace)], check=True)
        return self.board.run(name, url, folder)


def repository(folder):
    shutil.copytree(CHECKOUT / "fixtures" / "out" / "ledger", folder)
    git = ["git", "-C", str(folder), "-c", "user.name=test", "-c", "user.email=test@example.com"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Ledger"]):
        subprocess.run([*git, *command], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


class Arms(unittest.TestCase):
    def test_an_arm_that_does_not_start_is_no_result_and_is_tried_again(self):
        class Never:
            def tasks(self):
                return ["one"]

            def run(self, *_):
                raise AssertionError("no agent is started without its gateway")

        broken = replace(MANIFEST.arms[2], gateway=["/bin/false"], version=[])
        with tempfile.TemporaryDirectory() as folder:
            campaign = Campaign(MANIFEST, "thol", Never(), [broken], 1, "http://127.0.0.1:1", Path(folder), {})
            rows = campaign.run()
        self.assertEqual([row["status"] for row in rows], ["arm_error"] * 3)



