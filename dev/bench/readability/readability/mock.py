"""An endpoint that is no model: it is told the right answers, and spoils some of them by a rule.

What it shows is that questions, requests, scoring and statistics work. It says nothing about comprehension.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

SPOILED_IN_TEN = 1


@contextmanager
def endpoint(answers: dict[str, str]) -> Iterator[str]:
    """Serves the answers by the text of the prompt, and gives the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][0]["content"]
            reply = json.dumps({"choices": [{"message": {"content": spoiled(prompt, answers[prompt])}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def spoiled(prompt: str, answer: str) -> str:
    """The answer, or something else for one prompt in ten, the same ones every time."""
    is_spoiled = hashlib.sha256(prompt.encode()).digest()[0] % 10 < SPOILED_IN_TEN
    return "something else" if is_spoiled else answer
