"""STC for httpx: a response hook that puts the decoder between the network and the response."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from .http import Version, ask, decoded, unwrap


def enable(client: Any, version: Version, max_output: int) -> None:
    ask(client.headers, version)

    def decode(response: httpx.Response) -> None:
        codings = unwrap(response.status_code, response.headers)
        if codings is None:
            return
        if isinstance(response.stream, httpx.SyncByteStream):
            response.stream = _Decoded(response.stream, codings, max_output)
        elif isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = _AsyncDecoded(response.stream, codings, max_output)

    async def decode_async(response: httpx.Response) -> None:
        decode(response)

    hook = decode_async if isinstance(client, httpx.AsyncClient) else decode
    # First, since other hooks may read the body.
    client.event_hooks = {**client.event_hooks, "response": [hook, *client.event_hooks["response"]]}


class _Decoded(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, codings: str, max_output: int) -> None:
        self.stream, self.codings, self.max_output = stream, codings, max_output

    def __iter__(self) -> Iterator[bytes]:
        yield decoded(_without(self.codings, b"".join(self.stream)), self.max_output)

    def close(self) -> None:
        self.stream.close()


class _AsyncDecoded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, codings: str, max_output: int) -> None:
        self.stream, self.codings, self.max_output = stream, codings, max_output

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = b"".join([part async for part in self.stream])
        yield decoded(_without(self.codings, body), self.max_output)

    async def aclose(self) -> None:
        await self.stream.aclose()


def _without(codings: str, body: bytes) -> bytes:
    """Lets httpx undo the codings it knows."""
    return httpx.Response(200, headers={"Content-Encoding": codings}, content=body).content
