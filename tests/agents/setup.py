"""A user's week with `tokenforge setup claude`: set up, a day with the gateway, a day without, and undone."""

import json
import os
import socket
import subprocess
import urllib.request
from pathlib import Path

FOLDER, AGENTS = Path(os.environ["FOLDER"]), Path(os.environ["AGENTS"])
MOCK, TOKENFORGE = os.environ["MOCK_URL"], os.environ["TOKENFORGE"]
HOME, PROJECT, BIN, DATA = FOLDER / "home", FOLDER / "project", FOLDER / "bin", FOLDER / "data"
PATIENCE = 180
ROWS = [{"id": n, "name": f"service-{n}", "region": "eu-west-1", "state": "running"} for n in range(60)]
OUTPUT = json.dumps(ROWS, indent=2)
ANSWER = "There are sixty services."
STORY = [{"call": "Bash", "arguments": {"command": "./list-services"}}, {"text": ANSWER}]

# A service manager that starts what the unit says, as systemd would, and stops it again.
SYSTEMCTL = r"""#!/usr/bin/env python3
import os, pathlib, re, shlex, signal, subprocess, sys
folder = pathlib.Path(os.environ["FOLDER"])
process, unit = folder / "process", folder / "home/.config/systemd/user/tokenforge.service"
command = sys.argv[2]
with open(folder / "calls", "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\n")
if command == "enable" and not process.exists():
    text = unit.read_text()
    variables = dict(shlex.split(line)[0].split("=", 1) for line in re.findall(r"^Environment=(.*)$", text, re.M))
    program = shlex.split(re.search(r"^ExecStart=(.*)$", text, re.M)[1])
    where = re.search(r"^WorkingDirectory=(.*)$", text, re.M)[1]
    plain = {name: os.environ[name] for name in ["PATH", "HOME"]}
    log = open(folder / "service.log", "w")
    child = subprocess.Popen(program, env=plain | variables, cwd=where, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    process.write_text(str(child.pid))
if command == "disable" and process.exists():
    os.kill(int(process.read_text()), signal.SIGTERM)
    process.unlink()
if command == "is-active":
    print("active" if process.exists() else "inactive")
"""


def main():
    for folder in [HOME / ".claude", PROJECT, BIN]:
        folder.mkdir(parents=True)
    # A program's output: the text of a file that a shell prints stays exact.
    (PROJECT / "data.json").write_text(OUTPUT)
    program(PROJECT / "list-services", "#!/bin/sh\ncat data.json\n")
    program(BIN / "systemctl", SYSTEMCTL)
    (BIN / "claude").symlink_to(AGENTS / "claude/node_modules/.bin/claude")
    (BIN / "tokenforge").symlink_to(TOKENFORGE)
    (HOME / ".bashrc").write_text("umask 022")
    (HOME / ".claude/settings.json").write_text('{\n    "includeCoAuthoredBy": false\n}\n')
    (FOLDER / "config").mkdir()
    # Whom the user asks is whom the gateway asks.
    (FOLDER / "config/tokenforge.yaml").write_text(f"upstreams:\n  anthropic: {MOCK}\n")
    before = files()
    walk(before)


def walk(before):
    try:
        said = tokenforge("setup", "claude", "--statusline", "--yes")
        assert "the gateway answers at" in said, said
        assert tokenforge("setup", "claude", "--statusline", "--yes").startswith("nothing to change")

        shown, errors, _ = asked()
        assert errors == "", errors
        assert len(shown) < len(OUTPUT) and "service-" in shown, shown
        print(f"through the gateway: {len(OUTPUT)} bytes became {len(shown)}")
        gain = json.loads(tokenforge("gain", "--json", "--by", "project"))
        assert gain["results"] == 1 and gain["tokens"]["saved"] > 0, gain
        assert [row["name"] for row in gain["rows"]] == ["project"], gain
        print(f"gain: {gain['tokens']['saved']} of {gain['tokens']['before']} tokens")
        line = status_line()
        assert "% of tool tokens" in line and "this session" in line, line
        print(line)

        # With a subscription there is no key, and the token passes.
        shown, errors, requests = asked(ANTHROPIC_API_KEY=None, CLAUDE_CODE_OAUTH_TOKEN="sk-ant-oat01-test")
        assert errors == "" and len(shown) < len(OUTPUT), errors
        tokens = {request["headers"]["authorization"] for request in requests}
        assert tokens == {"Bearer sk-ant-oat01-test"}, tokens

        # The gateway is down: the agent goes to its provider, and a line says so.
        run("systemctl", "--user", "disable", "--now", "tokenforge.service")
        wait_until_port_is_closed()
        shown, errors, _ = asked()
        assert shown.startswith(OUTPUT), shown[:200]
        assert "does not answer" in errors and errors.endswith("claude runs without it\n"), errors
        print(f"without it: {errors.strip()}")
    finally:
        tokenforge("setup", "--undo", "--yes")
    after = {path: text for path, text in files().items() if path in before or ".claude" not in path}
    assert after == before, sorted(set(after.items()) ^ set(before.items()))
    # What Claude Code itself keeps leads to no gateway.
    for path in (HOME / ".claude").rglob("*"):
        assert not path.is_file() or b"/p/project" not in path.read_bytes(), path
    shown, errors, _ = asked()
    assert shown.startswith(OUTPUT) and errors == "", (shown[:200], errors)
    print("undone: every byte is as before")


def asked(**changes):
    """Claude Code in a new terminal; what its model saw of the tool's output, what was said, and the requests."""
    mock("DELETE", "/_mock/requests")
    mock("DELETE", "/_mock/replies")
    mock("POST", "/_mock/replies", json.dumps(STORY).encode())
    line = ". ~/.bashrc; claude -p 'How many services are there?' --allowedTools Bash --model claude-sonnet-4-5"
    done = run("bash", "-c", line, **changes)
    assert ANSWER in done.stdout, (done.stdout, done.stderr)
    requests = [request for request in json.loads(mock("GET", "/_mock/requests")) if request["path"].startswith("/v1/messages")]
    refused = [request["refused"] for request in requests if request["refused"]]
    assert not refused, refused
    blocks = [block for request in requests for message in request["body"]["messages"] if isinstance(message["content"], list) for block in message["content"]]
    [shown, *_] = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return shown, done.stderr, requests


def status_line():
    """What Claude Code would show, asked as its settings say, for the session that just ran."""
    settings = json.loads((HOME / ".claude/settings.json").read_text())
    [session] = (HOME / ".claude/projects").rglob("*.jsonl")
    about = {"session_id": session.stem, "cwd": str(PROJECT), "model": {"id": "claude-sonnet-4-5"}}
    return run("sh", "-c", settings["statusLine"]["command"], stdin=json.dumps(about)).stdout.strip()


def tokenforge(*arguments):
    return run("tokenforge", *arguments).stdout


def run(*command, stdin="", **changes):
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "HOME": str(HOME),
        "SHELL": "/bin/bash",
        "FOLDER": str(FOLDER),
        "NO_PROXY": "127.0.0.1",
        "FORGE_DATA_DIR": str(DATA),
        "FORGE_CONFIG_DIR": str(FOLDER / "config"),
        "FORGE_LISTEN": LISTEN,
        "ANTHROPIC_BASE_URL": MOCK,
        "ANTHROPIC_API_KEY": "test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    } | changes
    environment = {name: value for name, value in environment.items() if value is not None}
    done = subprocess.run(command, cwd=PROJECT, env=environment, input=stdin, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done


def files():
    """Everything in the home folder, and what is in it."""
    return {str(path.relative_to(HOME)): path.read_bytes() if path.is_file() else None for path in HOME.rglob("*")}


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def free_address():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return "%s:%d" % listener.getsockname()


def wait_until_port_is_closed():
    host, port = LISTEN.split(":")
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return


def mock(method, path, body=None):
    with urllib.request.urlopen(urllib.request.Request(MOCK + path, data=body, method=method), timeout=10) as answer:
        return answer.read()


LISTEN = free_address()
main()
