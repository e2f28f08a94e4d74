"""What the gateway makes of a conversation: it is sent one, and an upstream of our own keeps what arrives."""

import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "claude-sonnet-4-5"
# Long enough that the gateway offers its tool `expand_context`, as it does for agents with a real system prompt.
SYSTEM = "You are a careful assistant who works with tools. " * 800
# The key of references, the same in every run, so that every run forwards the same bytes.
KEY = "00" * 32
REPLY = json.dumps({
    "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [{"type": "text", "text": "Done."}],
    "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}).encode()


class Capture(BaseHTTPRequestHandler):
    """Keeps the last body and answers with a short message."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.server.body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(REPLY)))
        self.end_headers()
        self.wfile.write(REPLY)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gateway:
    """A running gateway with a home of its own. Use it in a `with` statement."""

    def __init__(self, binary, mode="standard", **environment):
        self.binary, self.mode, self.environment = binary, mode, environment

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory()
        self.upstream = ThreadingHTTPServer(("127.0.0.1", 0), Capture)
        threading.Thread(target=self.upstream.serve_forever, daemon=True).start()
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("FORGE_")}
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", f"127.0.0.1:{port}", "--tool-output-compression", self.mode,
             "--backend-url", f"http://127.0.0.1:{self.upstream.server_port}"],
            env={**clean, "HOME": self.home.name, "FORGE_STORE_KEY": KEY, **self.environment}, cwd=self.home.name,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.upstream.shutdown()
        self.upstream.server_close()
        self.home.cleanup()

    def wait(self):
        for _ in range(600):
            try:
                return urllib.request.urlopen(self.address + "/_forge/readyz", timeout=1).close()
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(f"{self.binary} serve did not start")

    def forward(self, messages, tools):
        """The messages as the provider gets them."""
        schema = {"type": "object", "properties": {}}
        body = {"model": MODEL, "max_tokens": 64, "system": SYSTEM, "messages": messages,
                "tools": [{"name": tool, "description": tool, "input_schema": schema} for tool in tools]}
        request = urllib.request.Request(self.address + "/v1/messages", json.dumps(body).encode(),
                                         {"Content-Type": "application/json", "x-api-key": "none"})
        urllib.request.urlopen(request, timeout=300).close()
        return json.loads(self.upstream.body)["messages"]
