"""A metering proxy: the last station before the provider, the same one behind every arm.

An agent's own figures are what its gateway tells it, and a gateway may ask again, sample in the background or answer by
itself. So usage is read here, from the provider's answers, and for every arm alike. Bodies are passed on as they come; of
them only numbers are kept, and a hash of the tools.
"""

from __future__ import annotations

import hashlib
import http.client
import json
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Iterator, Optional
from urllib.parse import urlsplit

LARGEST_BODY = 64 << 20
_BILLED = ("/messages", "/chat/completions", "/responses")
_HOP_BY_HOP = {"host", "connection", "keep-alive", "accept-encoding", "content-length", "transfer-encoding", "te", "upgrade", "proxy-connection"}


@dataclass(frozen=True)
class Usage:
    """What a provider charged for one request, in tokens."""

    input: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.cache_write + self.cache_write_1h + self.cache_read


@dataclass(frozen=True)
class Metered:
    """One request that a provider answered."""

    model: str
    tools: str
    status: int
    usage: Optional[Usage]


class Meter:
    """Runs in a `with` statement; `requests` is what passed."""

    def __init__(self, upstream: str) -> None:
        self.upstream = urlsplit(upstream)
        self.requests: list[Metered] = []
        self.unreachable = 0
        self._lock = Lock()

    def __enter__(self) -> "Meter":
        meter = self

        class Handler(_Handler):
            pass

        Handler.meter = meter
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add(self, metered: Metered) -> None:
        with self._lock:
            self.requests.append(metered)

    def connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.upstream.scheme == "https" else http.client.HTTPConnection
        return kind(self.upstream.netloc, timeout=900)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    meter: Meter

    def do_POST(self) -> None:
        try:
            body = self._body()
        except ValueError as problem:
            self.send_error(400, str(problem))
            return
        connection = self.meter.connect()
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
            headers["Accept-Encoding"] = "identity"  # what is compressed cannot be metered as it passes
            connection.request(self.command, self.meter.upstream.path.rstrip("/") + self.path, body, headers)
            answer = connection.getresponse()
        except OSError:
            self.meter.unreachable += 1
            self.send_error(502, "the provider cannot be reached")
            return
        try:
            reply = self._relay(answer)
        finally:
            connection.close()
        if self.command == "POST" and urlsplit(self.path).path.endswith(_BILLED):
            self.meter.add(_metered(body, answer, reply))

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            return b"".join(_chunks(self.rfile))
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST_BODY:
            raise ValueError("the body is larger than the meter reads")
        return self.rfile.read(length)

    def _relay(self, answer: http.client.HTTPResponse) -> bytes:
        """Passes an answer on as it comes; what it was, as far as it is needed for its usage."""
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP_BY_HOP | {"date", "server"}:
                self.send_header(name, value)
        length = answer.getheader("Content-Length")
        self.send_header(*(("Content-Length", length) if length else ("Transfer-Encoding", "chunked")))
        self.end_headers()
        kept: list[bytes] = []
        size = 0
        while self.command != "HEAD" and (piece := answer.read1(65536)):
            size += len(piece)
            if size <= LARGEST_BODY:
                kept.append(piece)
            self.wfile.write(piece if length else b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if not length:
            self.wfile.write(b"0\r\n\r\n")
        return b"".join(kept)

    def log_message(self, *_: object) -> None:
        pass


def _chunks(stream: Any) -> Iterator[bytes]:
    size = 0
    while length := int(stream.readline(64).split(b";")[0] or b"0", 16):
        size += length
        if size > LARGEST_BODY:
            raise ValueError("the body is larger than the meter reads")
        yield stream.read(length)
        stream.readline(8)
    stream.readline(8)


def _metered(body: bytes, answer: http.client.HTTPResponse, reply: bytes) -> Metered:
    try:
        request = json.loads(body)
    except ValueError:
        request = {}
    tools = hashlib.sha256(json.dumps(request.get("tools"), sort_keys=True).encode()).hexdigest()[:16]
    return Metered(str(request.get("model", "")), tools, answer.status, usage_of(answer.getheader("Content-Type") or "", reply))


def usage_of(content_type: str, reply: bytes) -> Optional[Usage]:
    """The usage in an answer, whole or streamed; nothing if it says none.

    >>> usage_of("application/json", b'{"usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}}')
    Usage(input=3, cache_write=0, cache_write_1h=0, cache_read=4, output=5)
    >>> usage_of("application/json", b'{"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens": 5}}')
    Usage(input=5, cache_write=0, cache_write_1h=0, cache_read=4, output=5)
    """
    said: dict[str, Any] = {}
    for event in _events(content_type, reply):
        for holder in (event, event.get("message"), event.get("response")):
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict):
                said.update({name: value for name, value in usage.items() if value is not None})
    return _normal(said) if said else None


def _events(content_type: str, reply: bytes) -> Iterator[dict[str, Any]]:
    texts = [reply]
    if "event-stream" in content_type:
        texts = [line[5:] for line in reply.split(b"\n") if line.startswith(b"data:")]
    for text in texts:
        try:
            event = json.loads(text)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def _normal(said: dict[str, Any]) -> Usage:
    """Anthropic's input leaves out what came from the cache or went into it; OpenAI's has it in it."""
    details = said.get("prompt_tokens_details") or said.get("input_tokens_details")
    prompt, output = said.get("prompt_tokens", said.get("input_tokens", 0)), said.get("completion_tokens", said.get("output_tokens", 0))
    if details is not None or "prompt_tokens" in said:
        cached = (details or {}).get("cached_tokens") or 0
        return Usage(prompt - cached, 0, 0, cached, output)
    hour = (said.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0
    return Usage(prompt, said.get("cache_creation_input_tokens", 0) - hour, hour, said.get("cache_read_input_tokens", 0), output)
