"""Writes the settings of a gateway in front of real servers: settings.py FOLDER REFERENCE_URL TASKS_URL GIT_SERVER"""

import json
import sys
from pathlib import Path

folder, reference, tasks, git = sys.argv[1:]
packages = Path(__file__).parent / "node/node_modules/@modelcontextprotocol"


def program(package, *arguments, **environment):
    args = [str(packages / package / "dist/index.js"), *arguments]
    return {"command": "node", "args": args, "env": environment}


servers = {
    "reference": {"url": reference},
    "tasks": {"url": tasks},
    "files": program("server-filesystem", folder),
    "everything": program("server-everything"),
    # The last argument is nothing to the server: it is how its process is found.
    "doomed": program("server-everything", "stdio", f"{folder}/doomed"),
    "memory": program("server-memory", MEMORY_FILE_PATH=f"{folder}/memory.jsonl"),
    "git": {"command": git, "args": ["--repository", f"{folder}/repository"]},
}
print(json.dumps({"mcp": {"backends": servers}}))
