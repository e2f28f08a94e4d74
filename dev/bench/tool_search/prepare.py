"""Tools, and searches for them, from recorded sessions of LiveMCPBench: prepare.py FOLDER

FOLDER holds `sessions/livemcpbench/*.json`, in which a model searched for tools (`route`) and called what it found
(`execute-tool`), and `outputs/tool_schema/*.jsonl`, with declarations of servers. Prints one JSON document:

  tools     server, and the declaration as a server lists it. Where only the benchmark's own summary of a tool is recorded,
            the declaration is made from that.
  sessions  the user's words; each search, with the tools that were called of those it had found
"""

import ast
import json
import re
import sys
from pathlib import Path

import yaml

TEXT = re.compile(r"TextContent\(type='text', text=")


def texts(content):
    """The texts of a result, which the benchmark logged as Python shows MCP's types."""
    for start in TEXT.finditer(content):
        rest, at = content[start.end() :], 1
        while at < len(rest) and rest[at] != rest[0]:
            at += 2 if rest[at] == "\\" else 1
        try:
            yield ast.literal_eval(rest[: at + 1])
        except (SyntaxError, ValueError):
            continue


def summarised(tool):
    """A declaration from the benchmark's summary: `name: (Optional, string) what it is`."""
    properties, required = {}, []
    schema = tool.get("inputschema")
    for name, text in (schema if isinstance(schema, dict) else {}).items():
        known = re.match(r"\((Optional, )?(\w+)\)\s*(.*)", str(text), re.S)
        kind, said = (known[2], known[3]) if known else ("string", str(text))
        properties[str(name)] = {"type": kind, "description": said}
        if known and not known[1]:
            required.append(str(name))
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": tool["tool_name"], "description": tool.get("tool_description") or "", "inputSchema": schema}


def squeezed(tool):
    return "".join((tool.get("description") or "").split())


folder = Path(sys.argv[1])
tools, sessions = {}, []
for file in sorted((folder / "sessions/livemcpbench").glob("*.json")):
    session = json.loads(file.read_text())
    searches, by_call = [], {}
    for message in session["messages"]:
        for call in message.get("tool_calls") or []:
            try:
                arguments = json.loads(call["function"]["arguments"])
            except json.JSONDecodeError:
                continue
            if call["function"]["name"] == "route":
                search = {"query": arguments.get("query", ""), "found": [], "called": []}
                searches.append(search)
                by_call[call["id"]] = search
                continue
            tool = [arguments.get("server_name"), arguments.get("tool_name")]
            search = next((search for search in reversed(searches) if tool in search["found"]), None)
            if search and tool not in search["called"]:
                search["called"].append(tool)
        if message["role"] == "tool" and message.get("tool_call_id") in by_call:
            for text in texts(message["content"]):
                try:
                    found = (yaml.safe_load(text) or {}).get("matched_tools") or []
                except yaml.YAMLError:
                    continue
                for tool in found:
                    key = (tool["server_name"], tool["tool_name"])
                    by_call[message["tool_call_id"]]["found"].append(list(key))
                    tools.setdefault(key, summarised(tool))
    prompt = next(message["content"] for message in session["messages"] if message["role"] == "user")
    sessions.append({"prompt": prompt, "searches": searches})

# A server's own declarations in the place of summaries. It is the same server if tools are the same.
whole, taken = set(), set()
for file in sorted((folder / "outputs/tool_schema").glob("*.jsonl")):
    for line in file.read_text().splitlines():
        output = json.loads(line)
        declared = json.loads(output["content"])["tools"]
        votes = {}
        for tool in declared:
            for (server, name), known in tools.items():
                if name == tool["name"] and squeezed(known) == squeezed(tool):
                    votes[server] = votes.get(server, 0) + 1
        label = output["path"].split(" ", 1)[1] if " " in output["path"] else output["source"].split("/")[0]
        best = max(votes, key=votes.get, default=None)
        server = best if best and best not in taken else label
        taken.add(server)
        for tool in declared:
            key = (server, tool["name"])
            tools[key] = {member: value for member, value in tool.items() if value is not None}
            whole.add(key)

declared = [{"server": server, "tool": tool} for (server, _), tool in sorted(tools.items())]
print(json.dumps({"tools": declared, "whole": len(whole), "sessions": sessions}))
