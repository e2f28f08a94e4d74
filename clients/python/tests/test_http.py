"""The HTTP helper, with httpx and requests against a real server."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Callable

import httpx
import pytest
import requests

from tokenforge_stc import StcError
from tokenforge_stc.http import enable

JSON = b'[{"id":1,"name":"\xc3\xa9"},{"id":2,"name":"b"}]'
STC = '[2]{id,name}: 1,"é" / 2,"b"'.encode()
STC2 = "stc2\n[2]{id name}\n1 é\n2 b".encode()
STC_TYPE = "application/stc+json"

RESPONSES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/stc": (
        200,
        {"Content-Encoding": "stc", "Content-Type": STC_TYPE, "ETag": '"1"', "Set-Cookie": "a=b"},
        STC,
    ),
    "/stc2": (200, {"Content-Encoding": "stc", "Content-Type": STC_TYPE, "X-STC-Version": "2"}, STC2),
    "/problem": (400, {"Content-Encoding": "STC", "Content-Type": "application/problem+json"}, STC),
    "/gzip": (200, {"Content-Encoding": "stc, gzip", "Content-Type": STC_TYPE}, gzip.compress(STC)),
    "/type": (200, {"Content-Type": STC_TYPE + "; charset=utf-8"}, STC),
    "/type-gzip": (200, {"Content-Type": STC_TYPE, "Content-Encoding": "gzip"}, gzip.compress(STC)),
    "/json": (200, {"Content-Type": "application/json", "ETag": '"2"'}, JSON),
    "/json-gzip": (
        200,
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        gzip.compress(JSON),
    ),
    "/partial": (206, {"Content-Encoding": "stc", "Content-Type": STC_TYPE}, STC[:5]),
    "/not-modified": (304, {"Content-Encoding": "stc", "Content-Type": STC_TYPE}, b""),
    "/broken": (200, {"Content-Encoding": "stc", "Content-Type": STC_TYPE}, b"[2]{a}: 1"),
}
DECODED = ["/stc", "/stc2", "/problem", "/gzip", "/type", "/type-gzip"]


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/moved":
            status, headers, body = 302, {"Location": "/stc", "Content-Encoding": "stc"}, STC
        elif self.path == "/asked":
            status, headers = 200, {"Content-Type": "text/plain"}
            body = self.headers.get("Accept-Encoding", "").encode()
        elif self.path == "/version":
            status, headers, body = 200, {}, self.headers.get("X-STC-Version", "").encode()
        else:
            status, headers, body = RESPONSES[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


Ask = Callable[..., Any]


def ask_httpx(method: str, url: str, **options: Any) -> Any:
    with enable(httpx.Client(trust_env=False)) as client:
        return client.request(method, url, **options)


def ask_httpx_async(method: str, url: str, **options: Any) -> Any:
    async def ask() -> httpx.Response:
        async with enable(httpx.AsyncClient(trust_env=False)) as client:
            return await client.request(method, url, **options)

    return asyncio.run(ask())


def ask_requests(method: str, url: str, **options: Any) -> Any:
    with enable(requests.Session()) as session:
        session.trust_env = False
        return session.request(method, url, **options)


ALL = pytest.mark.parametrize("ask", [ask_httpx, ask_httpx_async, ask_requests])


@ALL
@pytest.mark.parametrize("path", DECODED)
def test_s10_a_response_in_stc_reads_as_json(url: str, ask: Ask, path: str) -> None:
    response = ask("GET", url + path)
    assert response.content == JSON
    assert response.text == JSON.decode()
    assert response.json() == [{"id": 1, "name": "é"}, {"id": 2, "name": "b"}]
    problem = path == "/problem"
    assert response.status_code == (400 if problem else 200)
    assert response.headers["Content-Type"] == f"application/{'problem+' if problem else ''}json"
    assert "Content-Encoding" not in response.headers
    assert "Content-Length" not in response.headers


@ALL
def test_s10_etag_and_cookies_stay(url: str, ask: Ask) -> None:
    response = ask("GET", url + "/stc")
    assert response.headers["ETag"] == '"1"'
    assert response.cookies["a"] == "b"


def test_version_2_is_named_by_who_says_so(url: str) -> None:
    with enable(httpx.Client(trust_env=False)) as client:
        assert client.get(url + "/version").text == ""
    with enable(httpx.Client(trust_env=False), version=2) as client:
        assert client.get(url + "/version").text == "2"
    with enable(requests.Session(), version=2) as session:
        session.trust_env = False
        assert session.get(url + "/version").text == "2"


def test_s10_cookies_reach_the_session(url: str) -> None:
    session = enable(requests.Session())
    session.get(url + "/stc")
    assert session.cookies["a"] == "b"


@ALL
@pytest.mark.parametrize("path", ["/json", "/json-gzip"])
def test_h1_other_responses_are_not_touched(url: str, ask: Ask, path: str) -> None:
    response = ask("GET", url + path)
    assert response.content == JSON
    assert int(response.headers["Content-Length"]) == len(RESPONSES[path][2])
    assert response.headers.get("Content-Encoding") == RESPONSES[path][1].get("Content-Encoding")


@ALL
def test_h4_responses_without_a_whole_body(url: str, ask: Ask) -> None:
    assert ask("HEAD", url + "/stc").content == b""
    assert ask("GET", url + "/not-modified").content == b""
    partial = ask("GET", url + "/partial")
    assert (partial.content, partial.headers["Content-Encoding"]) == (STC[:5], "stc")


@ALL
def test_h3_what_is_asked_for(url: str, ask: Ask) -> None:
    assert ask("GET", url + "/asked").text.startswith("stc, gzip, deflate")
    assert ask("GET", url + "/asked", headers={"Accept-Encoding": "br"}).text == "br"


@ALL
def test_k10_a_broken_body_is_an_error(url: str, ask: Ask) -> None:
    with pytest.raises(StcError, match="expected 2 rows as declared, found 1"):
        ask("GET", url + "/broken")


def test_s10_redirects_are_followed(url: str) -> None:
    assert ask_httpx("GET", url + "/moved", follow_redirects=True).content == JSON
    assert ask_requests("GET", url + "/moved").content == JSON


def test_s10_streams(url: str) -> None:
    with enable(httpx.Client(trust_env=False)) as client, client.stream("GET", url + "/stc") as response:
        assert b"".join(response.iter_bytes()) == JSON
    with enable(requests.Session()).get(url + "/gzip", stream=True) as reply:
        assert b"".join(reply.iter_content(7)) == JSON


def test_k10_the_output_limit(url: str) -> None:
    with pytest.raises(StcError, match="at most 10 bytes"):
        enable(httpx.Client(trust_env=False), max_output=10).get(url + "/stc")
    with pytest.raises(StcError, match="at most 10 bytes"):
        enable(requests.Session(), max_output=10).get(url + "/stc")


def test_s10_enabling_twice_is_enabling_once(url: str) -> None:
    with enable(enable(httpx.Client(trust_env=False))) as client:
        assert client.get(url + "/asked").text.count("stc") == 1
        assert client.get(url + "/stc").content == JSON


def test_s10_other_clients_are_refused() -> None:
    with pytest.raises(TypeError, match="found dict"):
        enable({})
