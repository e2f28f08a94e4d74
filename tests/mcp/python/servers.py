"""The servers behind the gateway, and the processes that they are."""

import json
import os
import signal
from pathlib import Path
from urllib.request import Request, urlopen

# The settings are JSON, which is YAML too.
SERVERS = json.loads(Path(os.environ["SETTINGS"]).read_text())["mcp"]["backends"]


def command_of(server):
    """The command line of a server that is a program."""
    return [SERVERS[server]["command"], *SERVERS[server]["args"]]


def refresh(server):
    """Starts a server anew. One that ended often is left alone for a while, unless the operator says so."""
    url = f"{os.environ['GATEWAY_URL']}/_forge/api/mcp/{server}/refresh"
    headers = {"Authorization": f"Bearer {os.environ['FORGE_ADMIN_TOKEN']}"}
    with urlopen(Request(url, method="POST", headers=headers), timeout=20):
        pass


def kill(word):
    """Kills the server whose command line holds this word, and that alone."""
    found = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_server(command_line(pid), word)]
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    return len(found)


def is_server(line, word):
    return not line[0].endswith("tokenforge") and word in line[1:]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return [""]  # It ended meanwhile.
