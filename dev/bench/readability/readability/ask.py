"""A question to an endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Optional

PROMPT = """Here is some data:

{data}

{question}
Answer with the value only, without any explanation."""

_RETRIES = 5
_AGAIN = {408, 409, 429, 500, 502, 503, 504}


def body(model: str, prompt: str, most: Optional[int]) -> dict[str, Any]:
    """A request; `most` are the tokens of the answer."""
    asked: dict[str, Any] = {"model": model, "temperature": 0, "messages": [{"role": "user", "content": prompt}]}
    return {**asked, "max_tokens": most} if most else asked


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked, and which."""

    base_url: str
    model: str
    key: str = ""
    timeout: float = 600
    most: Optional[int] = None
    """The tokens of an answer; a small model that rambles is cut off, one that thinks must not be."""

    def ask(self, data: str, question: str) -> str:
        """What the model says."""
        prompt = PROMPT.format(data=data, question=question)
        request = urllib.request.Request(
            f"{self.base_url.rstrip('/')}/chat/completions",
            json.dumps(body(self.model, prompt, self.most)).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
        )
        reply = json.loads(self._send(request))
        return str(reply["choices"][0]["message"]["content"] or "")

    def _send(self, request: urllib.request.Request) -> bytes:
        for attempt in range(_RETRIES):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as response:
                    body: bytes = response.read()
                    return body
            except urllib.error.HTTPError as error:
                if error.code not in _AGAIN or attempt + 1 == _RETRIES:
                    raise SystemExit(f"{self.base_url} answered {error.code}: {error.read()[:500]!r}") from None
            time.sleep(2**attempt)
        raise AssertionError("the last attempt returns or raises")
