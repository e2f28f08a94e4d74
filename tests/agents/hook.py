"""Each agent once without the hook and once with it; what the provider was sent is compared."""

import json
import os
import subprocess
import urllib.request
from pathlib import Path

FOLDER, AGENTS = Path(os.environ["FOLDER"]), Path(os.environ["AGENTS"])
MOCK = os.environ["MOCK_URL"]
HOME, PROJECT = FOLDER / "home", FOLDER / "project"
PATIENCE = 180

# Nothing of this machine's own settings, and nothing that goes out.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": str(HOME),
    "NO_PROXY": "127.0.0.1",
    "FORGE_DATA_DIR": str(FOLDER / "data"),
    "ANTHROPIC_BASE_URL": MOCK,
    "ANTHROPIC_API_KEY": "sk-ant-test",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "IS_SANDBOX": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}

# What a test run prints, of which most can be left out.
TESTS = "".join(f"test a_long_name_of_a_test::case_{n:02} ... ok\n" for n in range(60))
TEST_RUN = f"running 60 tests\n{TESTS}\ntest result: ok. 60 passed; 0 failed"

# A tool server with one tool, in the fewest lines.
SERVER = """
import json, sys
rows = [{"id": n, "name": f"row {n}", "state": "open"} for n in range(60)]
for line in sys.stdin:
    message = json.loads(line)
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": "rows", "description": "Lists rows.", "inputSchema": {"type": "object", "properties": {}}}]},
        "tools/call": {"content": [{"type": "text", "text": json.dumps(rows, indent=2)}]},
    }
    if "id" in message:
        result = results.get(message["method"])
        answer = {"result": result} if result else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""


def main():
    (PROJECT / "bin").mkdir(parents=True)
    # `cargo test` without a compiler: agents and filters look at the command only.
    cargo = PROJECT / "bin" / "cargo"
    cargo.write_text(f"#!/bin/sh\ncat <<'END'\n{TEST_RUN}\nEND\n")
    cargo.chmod(0o755)
    ENVIRONMENT["PATH"] = f"{PROJECT / 'bin'}:{ENVIRONMENT['PATH']}"
    (PROJECT / "server.py").write_text(SERVER)
    (PROJECT / "long.txt").write_text("".join(f"{n} is a number\n" for n in range(20_000)))
    claude()
    opencode()
    pi()


def claude():
    settings = HOME / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{\n    "theme": "dark"\n}\n')
    before = settings.read_bytes()
    servers = PROJECT / "servers.json"
    servers.write_text(json.dumps({"mcpServers": {"s": {"command": "python3", "args": ["server.py"]}}}))
    agent = [
        AGENTS / "claude/node_modules/.bin/claude", "-p", "go", "--dangerously-skip-permissions",
        "--model", "claude-sonnet-4-5", "--mcp-config", servers,
    ]  # fmt: skip
    run_tests = call("Bash", command="cargo test", description="Run the tests")
    story = [
        run_tests,
        call("Bash", command="cat long.txt | sort", description="Sort"),
        call("ToolSearch", query="select:mcp__s__rows"),
        call("mcp__s__rows"),
        {"text": "done"},
    ]
    plain = results(agent, story)
    tokenforge("init", "claude", "--yes")
    alone = results(agent, story)
    compared("Claude Code", plain, alone)
    assert "60 passed" in alone[0] and "\n9999 is a number" in alone[1], alone

    # The model fetches back what was left out, and gets all of it.
    reference = alone[0].split("<<<SHADOW:")[1].split(">>>")[0]
    fetched = results(agent, [call("Bash", command=f"tokenforge expand {reference}", description="Expand"), {"text": "done"}])
    assert fetched[0].startswith(TEST_RUN), fetched

    # A subagent's results are smaller too.
    subagent = call("Agent", description="Tests", prompt="Run the tests", subagent_type="general-purpose", run_in_background=False)
    ask(agent, [subagent, run_tests, {"text": "all passed"}, {"text": "done"}])
    assert any(text.startswith("<<<SHADOW:") for request in requests() for text in texts(request)), "no subagent's result"

    # A gateway that runs is asked, and says the same.
    with serving():
        assert results(agent, story)[0].split("<system-reminder>")[0] == alone[0].split("<system-reminder>")[0]

    tokenforge("uninit", "claude", "--yes")
    assert settings.read_bytes() == before
    assert sorted(path.name for path in settings.parent.glob("settings*")) == ["settings.json"]
    assert "<<<SHADOW:" not in results(agent, story)[0]


def opencode():
    model = {"name": "m", "limit": {"context": 200_000, "output": 8_000}}
    provider = {"npm": "@ai-sdk/anthropic", "options": {"baseURL": f"{MOCK}/v1", "apiKey": "k"}, "models": {"claude-sonnet-4-5": model}}
    (PROJECT / "opencode.json").write_text(json.dumps({
        "model": "mock/claude-sonnet-4-5", "provider": {"mock": provider}, "permission": "allow", "autoupdate": False,
        "mcp": {"s": {"type": "local", "command": ["python3", "server.py"], "enabled": True}},
        "agent": {"title": {"disable": True}},
    }))  # fmt: skip
    agent = [AGENTS / "opencode/node_modules/.bin/opencode", "run", "go"]
    story = [call("bash", command="cargo test", description="Run the tests"), call("s_rows"), {"text": "done"}]
    inited("opencode", agent, story, HOME / ".config/opencode/plugins")


def pi():
    settings = HOME / ".pi" / "agent" / "models.json"
    settings.parent.mkdir(parents=True)
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "claude-sonnet-4-5", "name": "m", "reasoning": False, "input": ["text"], "cost": cost, "contextWindow": 200_000, "maxTokens": 8_000}
    provider = {"baseUrl": MOCK, "api": "anthropic-messages", "apiKey": "k", "models": [model]}
    settings.write_text(json.dumps({"providers": {"mock": provider}}))
    agent = [AGENTS / "pi/node_modules/.bin/pi", "-p", "go", "--provider", "mock", "--model", "claude-sonnet-4-5"]
    inited("pi", agent, [call("bash", command="cargo test"), {"text": "done"}], settings.parent / "extensions")


def inited(name, agent, story, folder):
    """An agent whose plugin is a file: there while it is wanted, and gone after."""
    plain = results(agent, story)
    tokenforge("init", name, "--yes")
    shown = results(agent, story)
    compared(name, plain, shown)
    assert "60 passed" in shown[0], shown
    tokenforge("uninit", name, "--yes")
    assert not list(folder.glob("tokenforge*")), list(folder.glob("*"))
    assert results(agent, story) == plain


def compared(name, plain, shown):
    assert len(plain) == len(shown) >= 1, (plain, shown)
    for before, after in zip(plain, shown):
        print(f"{name}: {len(before)} characters, with the hook {len(after)}")
    assert len(shown[0]) < len(plain[0]) / 2 and shown[0].startswith("<<<SHADOW:"), shown[0]
    assert "`tokenforge expand ID" in shown[0], shown[0]
    assert sum(map(len, shown)) < sum(map(len, plain)), (plain, shown)


def results(agent, story):
    """The texts of all tool results in the last request of a conversation."""
    ask(agent, story)
    return max((texts(request) for request in requests()), key=len)


def ask(agent, story):
    mock("DELETE", "/_mock/requests")
    mock("POST", "/_mock/replies", json.dumps(story).encode())
    run = subprocess.run(agent, cwd=PROJECT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0 and "done" in run.stdout, (run.stdout, run.stderr)
    refused = [request["refused"] for request in requests() if request["refused"]]
    assert not refused, refused


def requests():
    return json.loads(mock("GET", "/_mock/requests"))


def texts(request):
    body = request["body"] if isinstance(request["body"], dict) else {}
    blocks = [block for message in body.get("messages", []) if isinstance(message["content"], list) for block in message["content"]]
    contents = [block["content"] for block in blocks if block["type"] == "tool_result"]
    joined = lambda content: content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    # A list of tools is no result that anybody could shorten.
    return [text for text in map(joined, contents) if text.strip()]


def call(tool, **arguments):
    return {"call": tool, "arguments": arguments}


def tokenforge(*arguments):
    subprocess.run(["tokenforge", *arguments], cwd=PROJECT, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


class serving:
    """A gateway while it runs."""

    def __enter__(self):
        command = ["tokenforge", "serve", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout.readline().startswith("listening")
        assert (FOLDER / "data/hook/socket").exists()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def mock(method, path, body=None):
    with urllib.request.urlopen(urllib.request.Request(MOCK + path, data=body, method=method), timeout=10) as answer:
        return answer.read()


main()
