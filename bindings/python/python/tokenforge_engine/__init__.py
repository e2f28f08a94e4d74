"""Makes LLM tool outputs and conversations smaller in your own process, losing nothing.

    >>> import tokenforge_engine as tokenforge
    >>> compressor = tokenforge.Compressor()
    >>> text = "".join(f"test api::case_{n:02} ... ok\\n" for n in range(60))
    >>> made = compressor.compress_output(text, tool="Bash", arguments={"command": "cargo test"})
    >>> made.tokens_after < made.tokens_before
    True
    >>> compressor.expand(made.reference) == text
    True

The bytes are those that the Tokenforge gateway would forward under the same settings. No port is opened and nothing is sent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Protocol, Sequence, TypeVar, Union

from . import _native
from ._native import OriginalNotFound, TokenforgeError

_T = TypeVar("_T")

__all__ = [
    "EXPAND_TOOL",
    "Compressed",
    "CompressedText",
    "Compressor",
    "EarlierResult",
    "OriginalNotFound",
    "Store",
    "TokenforgeError",
    "Verdict",
    "count",
    "decode",
    "decode_output",
]

EXPAND_TOOL: Mapping[str, Any] = json.loads(_native.EXPAND_TOOL)
"""The tool with which a model fetches what was left out: `name`, `description` and `input_schema`."""

# Where the conversation stands in a request, by provider API.
_CONVERSATIONS = {
    "anthropic": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
    "gemini_interactions": "input",
    "bedrock_converse": "messages",
    "bedrock_invoke": "messages",
    "ollama": "messages",
}


class Store(Protocol):
    """A store of your own: bounding it, in bytes and in time, is up to you. Called from several threads."""

    def get(self, name: str) -> Optional[bytes]: ...

    def put(self, name: str, data: bytes) -> None: ...


EarlierResult = Mapping[str, Any]
"""`{"tool": NAME, "arguments": what it was called with, "text": the result as the model saw it}`"""


@dataclass(frozen=True)
class Verdict:
    """What became of one tool result."""

    tool: str
    call: Optional[str]
    verdict: str
    """`compressed`, or why the result was kept as it is."""
    stages: Sequence[str]
    tokens_before: int
    tokens_after: int
    reference: Optional[str]
    """What the original is kept under, if something was left out."""


@dataclass(frozen=True)
class Compressed:
    """A request as it is to be sent instead."""

    body: bytes
    results: Sequence[Verdict]
    offers_expansion: bool
    """The tool `expand_context` was added: answer its calls with `Compressor.expand`."""

    @property
    def request(self) -> dict[str, Any]:
        """The body, parsed."""
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed

    @property
    def tokens_before(self) -> int:
        return sum(result.tokens_before for result in self.results)

    @property
    def tokens_after(self) -> int:
        return sum(result.tokens_after for result in self.results)


@dataclass(frozen=True)
class CompressedText:
    """An output as it is to be shown to the model."""

    text: str
    verdict: str
    stages: Sequence[str]
    tokens_before: int
    tokens_after: int
    reference: Optional[str]


class Compressor:
    """Compresses requests to model providers, and single outputs. Share one between threads.

    `settings` are those of `tokenforge.yaml`, as a mapping. `store` keeps the originals of what is left out: `"memory:"`,
    `"disk:FOLDER"`, `"redis://HOST:PORT"`, or an object with `get` and `put`. With the same store and settings the same
    conversation becomes the same bytes, after a restart too, so that the provider's prompt cache stays warm.
    """

    def __init__(
        self, settings: Optional[Mapping[str, Any]] = None, store: Union[str, Store] = "memory:"
    ) -> None:
        self._native = _native.Compressor(json.dumps(settings) if settings else "", store)

    def compress(
        self,
        messages: Sequence[Any],
        *,
        provider: str = "openai_chat",
        caller_fetches: bool = False,
        **members: Any,
    ) -> Compressed:
        """What to send instead of a conversation in a provider's own shape.

        `members` are the other members of the request: `model`, `tools`, `system` and so on. With `tools`, something may be
        left out that the model can fetch with `expand_context`; without, nothing is, unless `caller_fetches` says that you
        resolve references yourself. Gemini's `model` does not become part of the body, since it stands in the path;
        Bedrock's `modelId` stays, as boto3 takes it beside the messages.
        """
        conversation = _CONVERSATIONS.get(provider)
        if conversation is None:
            raise TokenforgeError(f"unknown provider {provider!r}; expected one of {', '.join(_CONVERSATIONS)}")
        path_model = members.pop("model", "") if provider == "gemini" else members.get("modelId", "")
        body = _encode({**members, conversation: messages})
        return self.compress_body(
            body, provider=provider, caller_fetches=caller_fetches, path_model=str(path_model)
        )

    def compress_body(
        self,
        body: bytes,
        *,
        provider: str = "openai_chat",
        caller_fetches: bool = False,
        path_model: str = "",
    ) -> Compressed:
        """The same for the body of a request as it would be sent: outside of tool results every byte stays.

        `path_model` is the model where the path names it and not the body, as for Gemini and Bedrock.
        """
        made, report = _checked(
            lambda: self._native.compress(provider, body, caller_fetches, path_model)
        )
        told = json.loads(report)
        results = [Verdict(**result) for result in told["results"]]
        return Compressed(body=made, results=results, offers_expansion=told["offers_expansion"])

    def compress_output(
        self,
        text: str,
        *,
        tool: str = "",
        arguments: Union[str, Mapping[str, Any], None] = None,
        is_error: bool = False,
        model: str = "",
    ) -> CompressedText:
        """What to show a model instead of one tool output. What is left out you fetch with `expand`."""
        spelled = _spell_arguments(arguments)
        made = _checked(lambda: self._native.compress_output(text, tool, spelled, is_error, model))
        return CompressedText(**json.loads(made))

    def expand(
        self,
        reference: str,
        *,
        lines: Optional[str] = None,
        grep: Optional[str] = None,
        path: Optional[str] = None,
    ) -> str:
        """An original; or its lines `20-80`, those that match a regular expression, or a part of JSON such as `items[3].id`."""
        return _checked(lambda: self._native.expand(reference, lines, grep, path))

    async def acompress(self, messages: Sequence[Any], **options: Any) -> Compressed:
        """`compress` on another thread, for asyncio."""
        return await _to_thread(lambda: self.compress(messages, **options))

    async def acompress_output(self, text: str, **options: Any) -> CompressedText:
        """`compress_output` on another thread, for asyncio."""
        return await _to_thread(lambda: self.compress_output(text, **options))

    async def aexpand(self, reference: str, **options: Any) -> str:
        """`expand` on another thread, for asyncio."""
        return await _to_thread(lambda: self.expand(reference, **options))


def decode(text: str) -> str:
    """Any of our notations back to what it stands for: JSON minified, a compressed output as it was, to the byte."""
    return _checked(lambda: _native.decode_text(text))


def decode_output(
    text: str,
    *,
    history: Optional[Iterable[EarlierResult]] = None,
    arguments: Union[str, Mapping[str, Any], None] = None,
) -> str:
    """The tool output that a lossless mode compressed to `text`; a text that nothing changed is given back as it is.

    >>> decode_output("a\\n[Forge the line above 2 more times]\\nb\\n")
    'a\\na\\na\\nb\\n'

    Pointers lead to the results before it in its conversation, `history`, in their order and as the model saw them, or into
    the `arguments` of the call that made it:

    >>> seen = {"tool": "Bash", "arguments": {"command": "make"}, "text": "cc a.c\\nld a"}
    >>> decode_output("[Duplicate of make; see earlier result]", history=[seen])
    'cc a.c\\nld a'

    Raises `TokenforgeError` if something was left out of the text, if it points to what is not given, if it was cut or edited,
    and if it stands for more than 64 MiB.
    """
    results = None if history is None else _encode(list(history)).decode()
    spelled = _spell_arguments(arguments)
    return _checked(lambda: _native.decode_output(text, results, spelled))


def count(text: str, model: str = "") -> int:
    """How many tokens a text has for a model; by o200k where the model's vocabulary is not public."""
    return _checked(lambda: _native.count_tokens(text, model))


async def _to_thread(call: Callable[[], _T]) -> _T:
    import asyncio  # nine tenths of the time of importing this package; a caller that awaits has imported it already

    return await asyncio.to_thread(call)


def _spell_arguments(arguments: Union[str, Mapping[str, Any], None]) -> str:
    """Arguments of a call as JSON. Some tools take free text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else _encode(arguments).decode()


def _encode(value: Any) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TokenforgeError(f"no JSON can be made of it: {error}") from error
    return _checked(text.encode)


def _checked(call: Callable[[], _T]) -> _T:
    """Half a character has no bytes: what stood in its place would be another text."""
    try:
        return call()
    except UnicodeEncodeError as error:
        message = f"half a character (a lone surrogate) at position {error.start}"
        raise TokenforgeError(message) from error
