"""Draws the cases of the three groups by a seed."""

import json
import re
import subprocess

from . import corpus, json_questions, pointer_questions, text_questions
from .pointers import Unreadable, is_pointer
from .question import Case
from .resolve import check

GENERAL_KINDS = ["api_json_list", "api_json_nested", "build_log", "cli_json", "file_read", "git", "mcp_text", "search_grep",
                 "shell_listing", "shell_other", "sql_csv", "syslog", "test_log", "tool_schema"]
JSON_KINDS = ["api_json_list", "api_json_nested", "cli_json", "tool_schema"]
SIZES = range(1000, 12_000)
# A text that was hardly changed is hardly a question.
MOST_LEFT = 0.9
FEWEST_QUESTIONS = 2
# Bytes that a reader has before him.
LARGEST = {"forge": 34_000, "raw": 50_000}


def fits(case):
    return all(case.size(variant) <= LARGEST[variant] for variant in LARGEST)


def forwarded(gateway, call):
    """One result as the gateway forwards it."""
    messages = gateway.forward(corpus.conversation(call), sorted({call.tool, corpus.SHELL}))
    return corpus.text(next(corpus.blocks(messages, "tool_result")))


def decoded(binary, text):
    """The text without notations and without the reference to what was left out; nothing if it cannot be decoded."""
    body = re.sub(r"\A<<<SHADOW:\w+>>>\n", "", text)
    done = subprocess.run([binary, "decode", "--from", "output"], input=body.encode(), capture_output=True, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def is_shared(text, level_2):
    """Was STC 2 written at the level that shares? Then level 2 alone gives another text."""
    return text.startswith("stc2") and text != level_2


def is_json(text):
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False


class Draw:
    def __init__(self, folder, gateway, level_2, small, binary, rng):
        self.gateway, self.level_2, self.small, self.binary, self.rng = gateway, level_2, small, binary, rng
        self.by_kind = {kind: [] for kind in sorted({*GENERAL_KINDS, *JSON_KINDS})}
        for output in corpus.outputs(folder, self.by_kind):
            if len(output.call.original) in SIZES:
                self.by_kind[output.kind].append(output)
        for found in self.by_kind.values():
            rng.shuffle(found)
        self.notes = []

    def general(self, per_kind):
        for kind in GENERAL_KINDS:
            yield from self.take(kind, "general", per_kind, lambda shared: not shared)

    def shared(self, per_kind):
        for kind in JSON_KINDS:
            yield from self.take(kind, "shared", per_kind, lambda shared: shared)

    def take(self, kind, group, wanted, is_wanted):
        sources = {}
        for output in self.by_kind[kind]:
            source = output.name.split("/")[1]
            if wanted == 0:
                break
            if sources.get(source, 0) >= 4:
                continue
            call = output.call
            call.forwarded = forwarded(self.gateway, call)
            shared = call.forwarded.startswith("stc2") and is_shared(call.forwarded, forwarded(self.level_2, call))
            if len(call.forwarded) > MOST_LEFT * len(call.original) or not is_wanted(shared):
                continue
            case = Case(group, kind, output.name, [call], self.questions(output))
            if len(case.questions) >= FEWEST_QUESTIONS and fits(case):
                call.small = forwarded(self.small, call)
                sources[source] = sources.get(source, 0) + 1
                wanted -= 1
                yield case

    def questions(self, output):
        call = output.call
        if is_json(call.original):
            return [] if "<<<SHADOW:" in call.forwarded else json_questions.questions(call.original, call.forwarded, self.rng)
        shown = decoded(self.binary, call.forwarded)
        if shown is None:
            self.notes.append(f"{output.name}: cannot be decoded")
            return []
        return text_questions.questions(call.original, shown, self.rng)

    def pointers(self, folder, wanted):
        """Results with pointers. What a pointer says is checked for all of them, drawn or not."""
        found = []
        for name, messages in corpus.sessions(folder):
            tools = corpus.tools(messages)
            calls = corpus.calls(messages, self.gateway.forward(messages, tools))
            for call, small in zip(calls, corpus.calls(messages, self.small.forward(messages, tools))):
                call.small = small.forwarded
            for at, call in enumerate(calls):
                if any(map(is_pointer, call.forwarded.split("\n"))):
                    self.notes.extend(f"{name}, result {at}: {problem}" for problem in check(call, calls[:at]))
                    found.append((f"{name}/{at}", calls[:at], call))
        self.notes.append(f"{len(found)} results with pointers, each pointer resolved by program")
        self.rng.shuffle(found)
        for name, above, call in found:
            if wanted == 0:
                return
            try:
                calls = pointer_questions.context(call, above)
                case = Case("pointer", call.tool.lower(), name, calls, pointer_questions.questions(calls, self.rng))
            except (Unreadable, ValueError) as problem:
                self.notes.append(f"{name}: {problem}")
                continue
            if not case.questions:
                self.notes.append(f"{name}: no line that can be asked for")
            elif not fits(case):
                self.notes.append(f"{name}: too large ({case.size('forge')} and {case.size('raw')} bytes)")
            else:
                wanted -= 1
                yield case
