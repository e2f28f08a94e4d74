"""What the reader of a page has: the project, a home with an agent's history in it, and files of the kinds that are talked about."""

import json

ROWS = [{"id": number, "state": "open", "title": f"issue {number}", "labels": ["bug"]} for number in range(40)]
TESTS = "".join(
    ["running 150 tests\n"]
    + [f"test module::case_{number} ... ok\n" for number in range(150)]
    + ["\ntest result: ok. 150 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n"]
)


def furnish(folder, project, target, program):
    """Below `folder`: `work` to be in, `home`, and `bin` for the PATH."""
    work, home = folder / "work", folder / "home"
    (folder / "bin").mkdir()
    (folder / "bin/tokenforge").symlink_to(program)

    write(work / "build.log", TESTS)
    write(work / "data.json", json.dumps(ROWS, indent=2))
    write(work / "data.toon", "ids[3]: 1,2,3\n")
    write(work / "prompt.txt", "How many tokens is this?\n")
    write(work / ".mcp.json", json.dumps({"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]}}}, indent=2))
    for name in ["crates", "examples", "packaging"]:
        (work / name).symlink_to(project / name)
    (work / "target").symlink_to(target)

    write(home / ".curlrc", "fail-with-body\n")
    write(home / ".claude/settings.json", '{\n  "model": "opus"\n}\n')
    write(home / ".claude/projects/my-project/session.jsonl", "".join(json.dumps(entry) + "\n" for entry in session()))


def session():
    """A session of Claude Code: one call of a tool."""
    usage = {"input_tokens": 4, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 20000, "output_tokens": 50}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": TESTS}
    yield said("user", 1, "Test it.")
    yield said("assistant", 2, [call], usage)
    yield said("user", 3, [result])
    yield said("assistant", 4, [{"type": "text", "text": "All pass."}], usage)


def said(role, number, content, usage=None):
    message = {"role": role, "content": content}
    if usage:
        message |= {"id": f"m{number}", "model": "claude-sonnet-4-5", "usage": usage}
    return {"type": role, "uuid": str(number), "sessionId": "s", "message": message}


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
