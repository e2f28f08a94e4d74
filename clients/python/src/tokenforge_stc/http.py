"""Responses in STC, read as JSON: for httpx (sync and async) and requests.

::

    import httpx
    from tokenforge_stc.http import enable

    client = enable(httpx.Client())          # or httpx.AsyncClient(), or requests.Session()
    client.get("http://localhost:8080/users").json()

The client then asks for STC besides the codings it already knew; with ``version=2`` it says that it reads STC 2
too. A response that comes in STC is decoded before
anyone sees it; any other response is not touched. Partial content (206) cannot be decoded and stays as it is.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Literal, TypeVar

from ._decode import MAX_OUTPUT, decode_stc

Client = TypeVar("Client")

Version = Literal[1, 2]
"""The highest version of STC that a server may send. Responses are decoded whichever it is."""

_MEDIA_TYPE = "application/stc+json"


def enable(client: Client, *, version: Version = 1, max_output: int = MAX_OUTPUT) -> Client:
    """Makes an ``httpx.Client``, an ``httpx.AsyncClient`` or a ``requests.Session`` speak STC, and returns it.

    A request that sets its own ``Accept-Encoding`` keeps it. Reading a body that is not STC although it says so,
    or that decodes to more than ``max_output`` bytes, raises :class:`tokenforge_stc.StcError`.
    """
    # Told apart by what is used of them, so that neither library has to be installed.
    if hasattr(client, "event_hooks"):
        from . import _httpx

        _httpx.enable(client, version, max_output)
    elif hasattr(client, "hooks"):
        from . import _requests

        _requests.enable(client, version, max_output)
    else:
        kind = type(client).__name__
        raise TypeError(f"expected httpx.Client, httpx.AsyncClient or requests.Session, found {kind}")
    return client


def ask(headers: MutableMapping[str, Any], version: Version) -> None:
    """Adds ``stc`` to the codings a client accepts, and the version it reads if that is not the first."""
    if version != 1:
        headers["X-STC-Version"] = str(version)
    accepted = str(headers.get("Accept-Encoding") or "")
    if "stc" not in [coding.split(";")[0].strip().lower() for coding in accepted.split(",")]:
        headers["Accept-Encoding"] = f"stc, {accepted}" if accepted else "stc"


def unwrap(status: int, headers: MutableMapping[str, Any]) -> str | None:
    """The codings around the STC text, outermost last; ``None`` if the body is not STC.

    If it is, the headers are rewritten to describe the JSON. ``ETag`` stays: it names what the server sent, which is
    what a later ``If-None-Match`` has to name.
    """
    codings = [coding.strip().lower() for coding in str(headers.get("Content-Encoding") or "").split(",")]
    media_type = str(headers.get("Content-Type") or "").split(";")[0].strip().lower()
    if status == 206 or (codings[0] != "stc" and media_type != _MEDIA_TYPE):
        return None
    for name in ("Content-Encoding", "Content-Length"):
        if name in headers:
            del headers[name]
    if media_type == _MEDIA_TYPE:
        headers["Content-Type"] = "application/json"
    return ", ".join(codings[1:] if codings[0] == "stc" else codings)


def decoded(body: bytes, max_output: int) -> bytes:
    """The JSON of a body. An empty one (HEAD, 304) stays empty."""
    return decode_stc(body.decode(), max_output=max_output).encode() if body else body
