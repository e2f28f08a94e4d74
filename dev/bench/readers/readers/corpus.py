"""Recorded outputs and sessions, as calls of tools with their results."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

SHELL = "Bash"


@dataclass
class Call:
    """A call of a tool and its result: as recorded, and as the gateway forwards it to large and to small models."""

    tool: str
    arguments: dict
    original: str
    forwarded: str = ""
    small: str = ""


@dataclass
class Output:
    """One recorded output, outside of any session."""

    name: str
    kind: str
    call: Call


def outputs(corpus, kinds=None):
    """The recorded outputs of some kinds, always in the same order."""
    for path in sorted(Path(corpus, "outputs").glob("*/*.jsonl")):
        if kinds is None or path.parent.name in kinds:
            for line in path.read_text().split("\n"):
                if not line:
                    continue
                record = json.loads(line)
                tool, arguments = call_of(record)
                name = f"{path.parent.name}/{path.stem}/{record['id']}"
                yield Output(name, path.parent.name, Call(tool, arguments, record["content"]))


def call_of(record):
    """The tool and the arguments that an agent would have used for a recorded output."""
    tool, command = record.get("tool") or SHELL, record.get("command") or ""
    if command.startswith("{"):
        return tool, arguments_of(command)
    if tool == "Read":
        return tool, {"file_path": command.partition(" ")[2]}
    is_program = record["kind"] in ("cli_json", "shell_listing") or command.split(" ")[0] == tool
    if tool.lower() == "bash" or is_program:
        return SHELL, {"command": command or tool}
    return tool, {"query": command} if command else {}


def arguments_of(command):
    """Arguments as they were recorded. Long ones were cut off: of those, the strings that are whole."""
    try:
        return json.loads(command)
    except ValueError:
        return dict(re.findall(r'"(\w+)": "((?:[^"\\]|\\.)*)"', command))


def conversation(call):
    """One call as messages."""
    use = {"type": "tool_use", "id": "call_1", "name": call.tool, "input": call.arguments}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": call.original}
    return [
        {"role": "user", "content": "Please look."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]


def sessions(corpus):
    """Name and messages of the recorded sessions in which agents read files through Anthropic's API."""
    for path in sorted(Path(corpus, "sessions").glob("*/*.json")):
        session = json.loads(path.read_text())
        if session["format"] == "anthropic":
            yield f"{path.parent.name}/{path.stem}", session["messages"]


def blocks(messages, kind):
    for message in messages:
        if isinstance(message["content"], list):
            yield from (block for block in message["content"] if block["type"] == kind)


def tools(messages):
    return sorted({use["name"] for use in blocks(messages, "tool_use")} | {SHELL})


def calls(messages, forwarded):
    """The calls of a conversation, in the order of their results."""
    uses = {use["id"]: use for use in blocks(messages, "tool_use")}
    pairs = zip(blocks(messages, "tool_result"), blocks(forwarded, "tool_result"))
    return [
        Call(uses[before["tool_use_id"]]["name"], uses[before["tool_use_id"]]["input"], text(before), text(after))
        for before, after in pairs
        if before["tool_use_id"] in uses
    ]


def text(result):
    content = result.get("content", "")
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)
