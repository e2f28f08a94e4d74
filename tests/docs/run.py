"""Runs every command of the documentation, in a folder of its own with a home of its own: run.py TARGET [PAGE...]

A page fails where a command ends with another code or prints something else than it shows, where settings cannot be used,
and where it names a command, an option or a page that does not exist.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import page as pages
from likeness import is_shown, plain
from sandbox import furnish
from shell import Shell, is_background, wait_until

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(sys.argv[1])
TOKENFORGE = TARGET / "debug/tokenforge"
# A server runs until it is stopped: the page goes on beside it.
SERVER = re.compile(r"^(tokenforge serve|valkey-server|redis-server)\b[^&|]*$")

CURL_REFUSED = 22


class Page:
    """A page while it is run."""

    def __init__(self, path, mock):
        self.path, self.text = path, path.read_text()
        self.failures, self.not_run, self.ran, self.stood_in = [], [], 0, set()
        self.folder = Path(tempfile.mkdtemp(prefix="tokenforge-docs-"))
        self.mock = mock

    def run(self):
        self.check_links()
        self.check_spans()
        furnish(self.folder, ROOT, TARGET, TOKENFORGE)
        self.shell = Shell(self.folder, self.environment())
        try:
            for block in pages.blocks(self.text):
                self.run_block(block)
        except RuntimeError as error:
            self.fail(block.line, str(error))
        finally:
            self.shell.close()
            log = self.folder / "stood-in"
            self.stood_in = set(log.read_text().split()) if log.exists() else set()
            shutil.rmtree(self.folder)

    def environment(self):
        path = [self.folder / "bin", HERE / "stand-ins", *os.environ["PATH"].split(":")]
        return {
            "LANG": "C.UTF-8",
            "PATH": ":".join(map(str, path)),
            "HOME": str(self.folder / "home"),
            "FORGE_UPSTREAMS_BACKEND": self.mock,  # the provider
            "ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none",
        }

    def run_block(self, block):
        if reason := block.notes.get("not run"):
            self.not_run.append((block.line, len(block.commands()) or 1, reason))
            for command in block.commands():
                self.check_command(block.line, command.text)
            return
        if name := block.notes.get("file"):
            file = self.folder / "work" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        if block.language == "json":
            self.check_json(block)
        if block.language == "yaml":
            self.check_settings(block)
        for command in block.commands():
            self.run_command(command, block)

    def run_command(self, command, block):
        text = command.text
        if SERVER.match(text):
            self.shell.stop_jobs()
            text = text.split("#")[0].rstrip() + " &"
        code, *outputs = self.shell.run(text, block.notes.get("answers"))
        self.ran += 1
        expected = int(block.notes.get("exits", 0))
        # A page may show what a server says when it refuses something.
        is_refusal_shown = code == CURL_REFUSED and command.shown
        if code != expected and not is_refusal_shown:
            printed = "".join(map(read, outputs))
            self.fail(block.line, f"{command.text}\n  ended with {code}, not {expected}\n{indent(printed)}")
        elif command.shown:
            self.compare(command, block, outputs, is_background(text))

    def compare(self, command, block, outputs, is_still_at_it):
        """Has it printed what the page shows? On one output, or on both."""
        def is_so():
            out, err = map(read, outputs)
            numbers_vary = block.notes.get("varies") == "numbers"
            return is_shown(command.shown, out, err, out + err, err + out, numbers_vary=numbers_vary)
        try:
            wait_until(lambda: is_so() or not is_still_at_it, "")
        except RuntimeError:
            pass
        if not is_so():
            printed, shown = plain("".join(map(read, outputs))), "\n".join(command.shown)
            self.fail(block.line, f"{command.text}\n  printed\n{indent(printed)}  and not\n{indent(shown)}")

    def check_json(self, block):
        try:
            json.loads(block.text)
        except ValueError as error:
            self.fail(block.line, f"this is not JSON: {error}")

    def check_settings(self, block):
        """Settings are such as the program takes. Variables that they name have some value."""
        names = re.findall(r"(?<!\$)\$\{(\w+)\}", block.text)
        file = self.folder / "settings.yaml"
        file.write_text(block.text)
        environment = {**self.environment(), **{name: f"the-value-of-{name}" for name in names}}
        done = subprocess.run([TOKENFORGE, "config", "check", file], env=environment, check=False, capture_output=True, text=True)
        self.ran += 1
        if done.returncode:
            self.fail(block.line, f"these settings cannot be used\n{indent(done.stderr)}")

    def check_spans(self):
        """Commands in running text: are there such commands, with such options?"""
        for line, text in pages.spans(self.text):
            self.check_command(line, text)

    def check_command(self, line, text):
        if not text.startswith("tokenforge "):
            return
        words = text.split("#")[0].split(" -- ")[0].split()[1:]
        names = []
        for word in words:
            if not re.fullmatch(r"[a-z][a-z-]*", word) or not help_of([*names, word]):
                break
            names.append(word)
        if words and not names and not words[0].startswith("-"):
            self.fail(line, f"`{text}`: there is no such command")
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", " ".join(words)):
            if option not in help_of(names):
                self.fail(line, f"`{text}`: there is no {option}")

    def check_links(self):
        for line, path, anchor in pages.links(self.text):
            target = (self.path.parent / path) if path else self.path
            if not target.exists():
                self.fail(line, f"{path}: there is no such page")
            elif anchor and anchor not in pages.anchors(target.read_text()):
                self.fail(line, f"{path}#{anchor}: there is no such heading")

    def fail(self, line, message):
        self.failures.append(f"{self.path.relative_to(ROOT)}:{line}: {message}")


HELP = {}


def help_of(names):
    """What `--help` says of a command, or nothing if there is none."""
    key = " ".join(names)
    if key not in HELP:
        done = subprocess.run([TOKENFORGE, *names, "--help"], check=False, capture_output=True, text=True)
        usage = re.search(r"^Usage: tokenforge ?(.*)$", done.stdout, re.MULTILINE)
        is_it = done.returncode == 0 and usage and f"{usage[1]} ".startswith(f"{key} ".lstrip())
        HELP[key] = done.stdout if is_it else ""
    return HELP[key]


def read(file):
    return file.read_text(errors="replace")


def indent(text):
    return "".join(f"    {line}\n" for line in text.rstrip("\n").split("\n"))


def start_mock():
    mock = subprocess.Popen([TARGET / "debug/tokenforge-mock"], stdout=subprocess.PIPE, text=True)
    return mock, json.loads(mock.stdout.readline())["url"]


def main():
    named = [ROOT / name for name in sys.argv[2:]]
    everything = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "packaging").glob("**/README.md"))]
    mock, url = start_mock()
    done = []
    try:
        for path in named or everything:
            page = Page(path, url)
            page.run()
            done.append(page)
            stood_in = f", with a stand-in for {', '.join(sorted(page.stood_in))}" if page.stood_in else ""
            print(f"{'FAILED' if page.failures else 'ok'}  {path.relative_to(ROOT)}: {page.ran} run{stood_in}", flush=True)
    finally:
        mock.kill()
        mock.wait()
    for page in done:
        for line, count, reason in page.not_run:
            print(f"not run: {page.path.relative_to(ROOT)}:{line} ({count}): {reason}")
    failures = [failure for page in done for failure in page.failures]
    not_run = sum(count for page in done for _, count, _ in page.not_run)
    print(f"{sum(page.ran for page in done)} run, {not_run} not run, {len(failures)} wrong")
    for failure in failures:
        print(f"\n{failure}")
    sys.exit(bool(failures))


main()
