"""Clients, and ways through Tokenforge: each cell is one run of the client from its registry, with a conversation in which it
calls two tools. Its figure is how many tokens fewer its model saw of their outputs than without Tokenforge."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

FOLDER, AGENTS = Path(os.environ["FOLDER"]), Path(os.environ["AGENTS"])
MOCK, TOKENFORGE = os.environ["MOCK_URL"], os.environ["TOKENFORGE"]
PAGE = Path(__file__).resolve().parents[2] / "docs/clients.md"
PATIENCE = 180
QUESTION, ANSWER = "How many services are there, and do the tests pass?", "There are sixty, and they pass."
KEPT = ["PATH", "NO_PROXY", "no_proxy"]
# Points that a figure may be away from the page: some clients put times and sizes around an output.
TOLERANCE = 2

ROWS = [{"id": n, "name": f"service-{n}", "region": "eu-west-1", "state": "running"} for n in range(60)]
TESTS = "".join(f"test a_long_name_of_a_test::case_{n:02} ... ok\n" for n in range(60))
PROGRAMS = {
    # A program's output: the text of a file that a shell prints stays exact.
    "list-services": json.dumps(ROWS, indent=2),
    "cargo": f"running 60 tests\n{TESTS}\ntest result: ok. 60 passed; 0 failed",
}
COMMANDS = ["./list-services", "./cargo test"]

# A tool server with one tool, in the fewest lines.
SERVER = f"""
import json, sys
rows = {{"services": {ROWS!r}}}
for line in sys.stdin:
    message = json.loads(line)
    results = {{
        "initialize": {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "s", "version": "1"}}}},
        "tools/list": {{"tools": [{{"name": "rows", "description": "Lists rows.", "inputSchema": {{"type": "object", "properties": {{}}}}}}]}},
        "tools/call": {{"content": [{{"type": "text", "text": json.dumps(rows, indent=2)}}]}},
    }}
    if "id" in message:
        result = results.get(message["method"])
        answer = {{"result": result}} if result else {{"error": {{"code": -32601, "message": "unknown"}}}}
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], **answer}}), flush=True)
"""


class Client:
    """What a client is started with. `at` is the address that it is given by hand, as docs/gateway.md says; None: none."""

    name, ways, logins = "", (), ("key",)
    # The tool that runs a command, and the parameter for the command.
    shell, command = "", "command"

    def prepare(self, world, at):
        """Its files; returns its arguments and variables."""
        raise NotImplementedError

    def login(self, login):
        """The variables of a login."""
        return {}

    def story(self, way):
        if way == "mcp wrap":
            return [*self.tool_search, call(self.server_tool), {"text": ANSWER}]
        return [*(call(self.shell, **{self.command: line}, **self.more) for line in COMMANDS), {"text": ANSWER}]

    more, tool_search, server_tool = {}, [], ""


class Claude(Client):
    name, ways, logins = "claude", ("wrap", "serve", "setup", "hook", "mcp wrap"), ("key", "subscription")
    shell, tool_search, server_tool = "Bash", [{"call": "ToolSearch", "arguments": {"query": "select:mcp__s__rows"}}], "mcp__s__rows"

    def prepare(self, world, at):
        world.write(".claude/settings.json", "{}")
        world.write("project/.mcp.json", json.dumps({"mcpServers": {"s": SERVER_COMMAND}}))
        address = {"ANTHROPIC_BASE_URL": at} if at else {}
        arguments = ["-p", QUESTION, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5", "--mcp-config", ".mcp.json"]
        return arguments, {**address, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1"}

    def login(self, login):
        return {"ANTHROPIC_API_KEY": "sk-ant-test"} if login == "key" else {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-test"}


class Codex(Client):
    # Its tools of servers have a namespace, which the provider here does not call; with ChatGPT it asks chatgpt.com for a
    # route before anything else.
    name, ways, shell, command = "codex", ("wrap", "serve", "setup"), "exec_command", "cmd"

    def prepare(self, world, at):
        world.write(".codex/config.toml", 'model = "gpt-5.1"\n')
        address = ["-c", f'openai_base_url="{at}/v1"'] if at else []
        return [*address, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", QUESTION], {}

    def login(self, login):
        return {"CODEX_API_KEY": "test"}


class Gemini(Client):
    name, ways = "gemini", ("wrap", "serve", "setup", "mcp wrap")
    shell, server_tool = "run_shell_command", "mcp_s_rows"

    def prepare(self, world, at):
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "mcpServers": {"s": SERVER_COMMAND}, "telemetry": {"enabled": False}}
        world.write(".gemini/settings.json", json.dumps(settings))
        address = {"GOOGLE_GEMINI_BASE_URL": at} if at else {}
        return ["--yolo", "--skip-trust", "--model", "gemini-2.5-pro", "-p", QUESTION], address

    def login(self, login):
        return {"GEMINI_API_KEY": "test"}


class Opencode(Client):
    name, ways = "opencode", ("wrap", "serve", "setup", "hook", "mcp wrap")
    shell, more, server_tool = "bash", {"description": "Runs it"}, "s_rows"

    def prepare(self, world, at):
        options = {"options": {"baseURL": f"{at}/v1"}} if at else {}
        settings = {
            "model": "anthropic/claude-sonnet-4-5", "provider": {"anthropic": options}, "permission": "allow", "autoupdate": False,
            "mcp": {"s": {"type": "local", "command": ["python3", "server.py"], "enabled": True}}, "agent": {"title": {"disable": True}},
        }  # fmt: skip
        world.write("project/opencode.json", json.dumps(settings))
        return ["run", QUESTION], {"OPENCODE_DISABLE_MODELS_FETCH": "1"}

    def login(self, login):
        return {"ANTHROPIC_API_KEY": "test"}


class Pi(Client):
    name, ways, shell = "pi", ("wrap", "serve", "setup", "hook"), "bash"

    def prepare(self, world, at):
        world.write(".pi/agent/models.json", json.dumps({"providers": {"anthropic": {"baseUrl": at}} if at else {}}))
        return ["-p", QUESTION, "--provider", "anthropic", "--model", "claude-sonnet-4-5"], {}

    def login(self, login):
        return {"ANTHROPIC_API_KEY": "test"}


class Qwen(Client):
    name, ways = "qwen", ("wrap", "serve")
    shell, more = "run_shell_command", {"is_background": False}

    def prepare(self, world, at):
        return ["--yolo", "-p", QUESTION], {"OPENAI_MODEL": "gpt-5", **({"OPENAI_BASE_URL": f"{at}/v1"} if at else {})}

    def login(self, login):
        return {"OPENAI_API_KEY": "test"}


class Copilot(Client):
    name, ways = "copilot", ("wrap", "serve")
    shell, more = "bash", {"description": "Runs it", "mode": "sync"}

    def prepare(self, world, at):
        # `wrap` changes the address that its user has set.
        variables = {"COPILOT_PROVIDER_BASE_URL": f"{at or MOCK}/v1", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_MODEL": "gpt-5", "COPILOT_OFFLINE": "true"}
        return ["-p", QUESTION, "--allow-all-tools"], variables

    def login(self, login):
        return {"COPILOT_PROVIDER_API_KEY": "test"}


CLIENTS = [Claude(), Codex(), Gemini(), Opencode(), Pi(), Qwen(), Copilot()]
SERVER_COMMAND = {"command": "python3", "args": ["server.py"]}
WAYS = ["setup", "wrap", "serve", "hook", "mcp wrap"]


class World:
    """A home folder, a project, and a gateway for the ways that need one that runs."""

    def __init__(self, client):
        self.client = client
        self.home = FOLDER / f"home-{client.name}"
        self.project, self.bin = self.home / "project", self.home / "bin"
        for folder in (self.project, self.bin):
            folder.mkdir(parents=True)
        for name, output in PROGRAMS.items():
            program(self.project / name, f"#!/bin/sh\ncat <<'END'\n{output}\nEND\n")
        (self.project / "server.py").write_text(SERVER)
        (self.bin / client.name).symlink_to(AGENTS / client.name / "node_modules/.bin" / client.name)
        (self.bin / "tokenforge").symlink_to(TOKENFORGE)
        (self.home / ".bashrc").write_text("umask 022\n")
        self.config = self.home / "forge"
        self.config.mkdir()
        (self.config / "tokenforge.yaml").write_text(f"upstreams:\n  backend: {MOCK}\n")
        self.address = free_address()

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *command, **variables):
        environment = {
            **{name: os.environ[name] for name in KEPT},
            "HOME": str(self.home), "SHELL": "/bin/bash", "FORGE_CONFIG_DIR": str(self.config), "FORGE_DATA_DIR": str(self.home / "data"),
            "FORGE_LISTEN": self.address, "TERM": "dumb", **variables,
        }  # fmt: skip
        environment["PATH"] = f"{self.bin}:{environment['PATH']}"
        done = subprocess.run(command, cwd=self.project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def tokenforge(self, *arguments):
        code, said = self.run("tokenforge", *arguments)
        assert code == 0, said

    def gateway(self):
        environment = {**os.environ, "FORGE_CONFIG_DIR": str(self.config), "FORGE_DATA_DIR": str(self.home / "data"), "FORGE_MONITORING_LOG_LEVEL": "error"}
        # As the service keeps originals: on disk, where the command of an agent's shell finds them.
        command = [TOKENFORGE, "serve", "--listen", self.address, "--store", f"disk:{self.home}/data"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline().startswith("listening")
        return process


def cell(world, login, way):
    """What the model saw of the outputs of tools."""
    client = world.client
    variables = client.login(login)
    at = {None: MOCK, "hook": MOCK, "mcp wrap": MOCK, "mcp": MOCK, "serve": f"http://{world.address}"}.get(way)
    arguments, more = client.prepare(world, at)
    variables |= more
    command = [client.name, *arguments]
    undo = None
    if way == "wrap":
        # Copilot has an address already, which `wrap` takes for the one to ask.
        to = [] if "COPILOT_PROVIDER_BASE_URL" in variables else ["--backend-url", MOCK]
        command = ["tokenforge", "wrap", *to, *command]
    if way == "setup":
        world.tokenforge("setup", client.name, "--no-service", "--yes")
        undo = ["setup", client.name, "--undo", "--yes"]
        command = ["bash", "-c", '. ~/.bashrc; exec "$@"', "-", *command]
    if way == "hook":
        world.tokenforge("init", client.name, "--yes")
        undo = ["uninit", client.name, "--yes"]
    if way == "mcp wrap":
        world.tokenforge("mcp", "wrap", client.name, "--yes")
        undo = ["mcp", "unwrap", client.name, "--yes"]
    mock("DELETE", "requests")
    mock("DELETE", "replies")
    mock("POST", "replies", json.dumps(client.story("mcp wrap" if way in ("mcp", "mcp wrap") else way)).encode())
    process = world.gateway() if way in ("setup", "serve") else None
    try:
        code, said = world.run(*command, **variables)
    finally:
        if process:
            process.terminate()
            process.wait()
        if undo:
            world.tokenforge(*undo)
    requests = [request for request in json.loads(mock("GET", "requests")) if isinstance(request["body"], dict)]
    seen = [(request["path"], request["refused"]) for request in requests]
    assert code == 0 and ANSWER in said, (client.name, way, login, code, said[-3000:], seen)
    assert not [refused for _, refused in seen if refused], (client.name, way, seen)
    return max((results(request["body"]) for request in requests), key=lambda found: (len(found), len("".join(found))))


def results(body):
    """The texts of tool results in a request of any provider; a list of tools is no result that anybody could shorten."""
    found = []
    for message in body.get("messages") or body.get("input") or []:
        if not isinstance(message, dict):
            continue
        if message.get("role") == "tool":
            found.append(text(message["content"]))
        if message.get("type") in ("function_call_output", "custom_tool_call_output"):
            found.append(text(message["output"]))
        for block in message["content"] if isinstance(message.get("content"), list) else []:
            if block.get("type") == "tool_result":
                found.append(text(block.get("content", "")))
    for content in body.get("contents") or []:
        for part in content.get("parts", []):
            if "functionResponse" in part:
                found.append(json.dumps(part["functionResponse"]["response"], ensure_ascii=False))
    return [shown for shown in found if shown.strip()]


def text(content):
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def tokens(texts):
    path = FOLDER / "counted"
    path.write_text("\n".join(texts))
    counted = subprocess.run([TOKENFORGE, "tokens", "--json", path], capture_output=True, text=True, check=True)
    return json.loads(counted.stdout)["files"][0]["tokens"]


def measured(client):
    """The cells of a client: by login and way, the share that was saved."""
    cells = {}
    for login in client.logins:
        shutil.rmtree(FOLDER / f"home-{client.name}", ignore_errors=True)
        world = World(client)
        plain = tokens(cell(world, login, None))
        for way in client.ways:
            if way == "mcp wrap" and login != "key":
                continue
            before = tokens(cell(world, login, "mcp")) if way == "mcp wrap" else plain
            after = tokens(cell(world, login, way))
            cells[login, way] = round(100 * (before - after) / before)
            print(f"{client.name}, {login}, {way}: {before} tokens became {after} ({cells[login, way]} %)", flush=True)
    return cells


def main():
    names = [name for name in sys.argv[1:] if name != "--write"]
    table = {client.name: measured(client) for client in CLIENTS if not names or client.name in names}
    page = PAGE.read_text()
    wrong = []
    for name, cells in table.items():
        for (login, way), share in cells.items():
            pattern = re.compile(rf"^(\| `{name}` \| {login} (?:\|[^|]*){{{WAYS.index(way)}}}\| )(\d+) %", re.M)
            on_page = pattern.search(page)
            if not on_page:
                wrong.append(f"{name}, {login}, {way}: {share} % is not on the page")
            elif "--write" in sys.argv:
                page = pattern.sub(rf"\g<1>{share} %", page)
            elif abs(int(on_page[2]) - share) > TOLERANCE:
                wrong.append(f"{name}, {login}, {way}: {share} %, on the page {on_page[2]} %")
    if "--write" in sys.argv:
        PAGE.write_text(page)
    assert not wrong, "\n".join(wrong)
    print("as docs/clients.md says")


def call(tool, **arguments):
    return {"call": tool, "arguments": arguments}


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def free_address():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return "%s:%d" % listener.getsockname()


def mock(method, path, body=None):
    with urllib.request.urlopen(urllib.request.Request(f"{MOCK}/_mock/{path}", data=body, method=method), timeout=10) as answer:
        return answer.read()


if __name__ == "__main__":
    main()
