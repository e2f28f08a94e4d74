"""STC for requests: a response hook that runs before anyone reads the body."""

from __future__ import annotations

from typing import Any

from .http import Version, ask, decoded, unwrap


def enable(session: Any, version: Version, max_output: int) -> None:
    ask(session.headers, version)

    def decode(response: Any, **_: Any) -> None:
        codings = unwrap(response.status_code, response.headers)
        if codings is None:
            return
        # urllib3 takes any coding it does not know for deflate if there is a second one.
        response.raw.headers["Content-Encoding"] = codings
        # requests has no public way to replace a body; replacing `raw` would lose the cookies.
        response._content = decoded(response.content, max_output)

    # First, since other hooks may read the body.
    session.hooks["response"].insert(0, decode)
