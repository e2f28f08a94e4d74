"""The validating provider behind the gateway: what it shall say, and what it was sent."""

import json
import os
from pathlib import Path
from urllib.request import Request, urlopen

STORIES = json.loads((Path(__file__).parents[1] / "stories.json").read_text())


def begin(story):
    """Forgets what was, and queues the replies of a story."""
    call("DELETE", "requests")
    call("DELETE", "replies")
    call("POST", "replies", STORIES[story]["replies"])


def requests():
    return call("GET", "requests")


def call(method, path, body=None):
    data = json.dumps(body).encode() if body else None
    with urlopen(Request(f"{os.environ['MOCK_URL']}/_mock/{path}", data, method=method), timeout=20) as response:
        return json.load(response)
