"""The engine in Python: the bytes of the gateway, clear exceptions, and a store of one's own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Iterator, Optional

import pytest
import tokenforge_engine as tokenforge
from tokenforge_engine import Compressor, OriginalNotFound, TokenforgeError

from shapes import result_of, shaped

TEXT = "".join(f"test api::case_{n:02} ... ok\n" for n in range(60))
CALL = {"command": "cargo test"}


def vectors() -> Iterator[dict[str, Any]]:
    """What Rust makes of every recorded request and output: `cargo run -p tokenforge-conversation --example vectors`."""
    with Path(os.environ["EMBED_VECTORS"]).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def conversation(text: str) -> dict[str, Any]:
    call = {"id": "toolu_01", "type": "tool_use", "name": "Bash", "input": CALL}
    result = {"type": "tool_result", "tool_use_id": "toolu_01", "content": text}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1000,
        "messages": [
            {"role": "user", "content": "test it"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ],
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
    }


def test_c16_every_recorded_request_and_output_becomes_the_bytes_that_rust_makes() -> None:
    lines = vectors()
    compressor = Compressor(next(lines)["settings"])
    requests = outputs = smaller = 0
    for line in lines:
        if "provider" in line:
            how = {"provider": line["provider"], "path_model": line["model"]}
            made = compressor.compress_body(line["body"].encode(), **how)
            assert made.body == line["made"].encode()
            requests += 1
        else:
            text = compressor.compress_output(line["output"], tool=line["tool"], arguments=line["arguments"]).text
            assert text == line["made"]
            outputs += 1
        smaller += len(line["made"]) < len(line.get("body") or line["output"])
    assert requests >= 30 and outputs >= 400 and smaller >= 200, (requests, outputs, smaller)


def test_a_conversation_in_the_shape_of_its_provider() -> None:
    compressor = Compressor({"pipes": {"tool_output": {"expand_injection": "from_start"}}})
    request = conversation(TEXT)
    made = compressor.compress(request.pop("messages"), provider="anthropic", **request)
    assert made.offers_expansion and made.tokens_after < made.tokens_before
    assert [tool["name"] for tool in made.request["tools"]] == ["Bash", "expand_context"]
    [result] = made.results
    assert (result.tool, result.call, result.verdict) == ("Bash", "toolu_01", "compressed")
    assert result.reference is not None
    assert compressor.expand(result.reference) == TEXT
    assert compressor.expand(result.reference, lines="1") == "test api::case_00 ... ok\n"
    assert "case_07" in compressor.expand(result.reference, grep="_07")


PROVIDERS = [
    "anthropic",
    "openai_chat",
    "openai_responses",
    "gemini",
    "bedrock_converse",
    "bedrock_invoke",
    "ollama",
]
ROWS = json.dumps([{"id": n, "state": "open", "name": f"row {n}"} for n in range(60)], separators=(",", ":"))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_s_shape_is_read_and_comes_back_with_a_smaller_result(provider: str) -> None:
    compressor = Compressor({"pipes": {"tool_output": {"model_class": "large"}}})
    messages, members = shaped(provider, ROWS)
    made = compressor.compress(messages, provider=provider, **members)
    text = result_of(provider, made.request)
    assert [result.verdict for result in made.results] == ["compressed"]
    assert len(text) < 0.7 * len(ROWS) and tokenforge.decode(text) == ROWS
    # Everything but the result is as it came; Gemini has its model in the path.
    came, _ = shaped(provider, text)
    conversation = {"gemini": "contents", "openai_responses": "input"}.get(provider, "messages")
    kept = {name: value for name, value in members.items() if (provider, name) != ("gemini", "model")}
    assert made.request == {**kept, conversation: came}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_left_out_of_every_provider_s_results_can_be_fetched(provider: str) -> None:
    compressor = Compressor({"pipes": {"tool_output": {"expand_injection": "from_start"}}})
    messages, members = shaped(provider, TEXT)
    made = compressor.compress(messages, provider=provider, **members)
    [result] = made.results
    assert made.offers_expansion and "expand_context" in made.body.decode()
    assert result.reference is not None and result.reference in result_of(provider, made.request)
    assert compressor.expand(result.reference) == TEXT


@pytest.mark.parametrize(
    ("provider", "conversation", "model"),
    [
        ("gemini", "contents", {"model": "gemini-2.5-flash-lite"}),
        ("bedrock_converse", "messages", {"modelId": "amazon.nova-lite-v1:0"}),
    ],
)
def test_c16_a_model_in_the_path_decides_the_form(provider: str, conversation: str, model: Any) -> None:
    compressor = Compressor()
    messages, members = shaped(provider, ROWS)
    large = compressor.compress(messages, provider=provider, **members)
    small = compressor.compress(messages, provider=provider, **{**members, **model})
    assert result_of(provider, small.request).startswith("[{id:0,"), "small models are given rows without tables"
    assert result_of(provider, large.request).startswith("stc2")
    [(named, path_model)] = model.items()
    members.pop(named)
    body = json.dumps({**members, conversation: messages}).encode()
    again = compressor.compress_body(body, provider=provider, path_model=path_model)
    assert result_of(provider, again.request) == result_of(provider, small.request)
    unknown = compressor.compress_body(body, provider=provider)
    assert result_of(provider, unknown.request).startswith("stc2")


def test_without_tools_nothing_is_left_out_unless_the_caller_fetches_it() -> None:
    compressor = Compressor()
    messages = conversation(TEXT)["messages"]
    assert compressor.compress(messages, provider="anthropic").results[0].reference is None
    fetched = compressor.compress(messages, provider="anthropic", caller_fetches=True)
    assert fetched.results[0].reference is not None


def test_bad_input_is_an_exception_that_says_where() -> None:
    compressor = Compressor()
    with pytest.raises(TokenforgeError, match="invalid JSON at byte 13"):
        compressor.compress_body(b'{"messages":[}', provider="anthropic")
    with pytest.raises(TokenforgeError, match="unknown provider 'nobody'; expected one of anthropic"):
        compressor.compress([], provider="nobody")
    with pytest.raises(TokenforgeError, match="half a character"):
        compressor.compress([{"role": "user", "content": "\ud800"}])
    with pytest.raises(TokenforgeError, match="pipes.tool_output.mode"):
        Compressor({"pipes": {"tool_output": {"mode": "turbo"}}})
    with pytest.raises(TokenforgeError, match="expected memory:, disk:PATH"):
        Compressor(store="nowhere")
    with pytest.raises(OriginalNotFound, match="No original is kept under"):
        compressor.expand("shadow_" + "a" * 35)
    with pytest.raises(TokenforgeError, match="invalid UTF-8 at byte 32"):
        compressor.compress_body(b'{"model":"m","messages":[],"x":"\xff"}', provider="anthropic")
    with pytest.raises(TokenforgeError, match=r"`messages` occurs twice in one object, at byte \d+"):
        compressor.compress_body(b'{"messages":[],"messages":[]}', provider="anthropic")
    with pytest.raises(TokenforgeError, match=r"byte \d+"):
        tokenforge.decode('[2]{id,ok}:1,true/2')


def test_decode_undoes_a_lossless_form_and_count_counts() -> None:
    rows = json.dumps([{"id": n, "state": "open"} for n in range(50)], separators=(",", ":"))
    made = Compressor({"pipes": {"tool_output": {"mode": "lossless"}}}).compress_output(rows)
    assert made.tokens_after < made.tokens_before
    assert tokenforge.decode(made.text) == rows
    assert tokenforge.count("hello world") == 2
    assert tokenforge.count(rows) == made.tokens_before


class Dictionary:
    """A store of one's own."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}

    def get(self, name: str) -> Optional[bytes]:
        return self.entries.get(name)

    def put(self, name: str, data: bytes) -> None:
        self.entries[name] = data


def test_a_store_of_ones_own_keeps_originals_and_the_key(tmp_path: Path) -> None:
    store = Dictionary()
    made = Compressor(store=store).compress_output(TEXT, tool="Bash", arguments=CALL)
    assert made.reference is not None
    again = Compressor(store=store)
    assert again.compress_output(TEXT, tool="Bash", arguments=CALL) == made
    assert again.expand(made.reference) == TEXT
    folder = f"disk:{tmp_path}"
    kept = Compressor(store=folder).compress_output(TEXT, tool="Bash", arguments=CALL)
    assert kept.reference is not None
    assert Compressor(store=folder).expand(kept.reference) == TEXT


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """The address of a server of one's own."""
    server = shutil.which("redis-server") or shutil.which("valkey-server")
    if server is None:
        pytest.skip("neither redis-server nor valkey-server is here")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    for line in running.stdout:  # it says when it listens
        if "eady to accept connections" in line:
            break
    yield f"redis://127.0.0.1:{port}"
    running.terminate()
    running.wait()


def test_a_store_on_redis_is_shared_by_two_compressors(redis: str) -> None:
    made = Compressor(store=redis).compress_output(TEXT, tool="Bash", arguments=CALL)
    assert made.reference is not None
    assert Compressor(store=redis).expand(made.reference) == TEXT


def test_a_part_of_an_original_that_is_json_is_found_by_its_path() -> None:
    store = Dictionary()
    made = Compressor(store=store).compress_output(TEXT, tool="Bash", arguments=CALL)
    assert made.reference is not None
    with pytest.raises(OriginalNotFound, match="not JSON; ask for lines or grep instead of path"):
        Compressor(store=store).expand(made.reference, path="items[3].id")


def test_a_store_that_fails_leaves_nothing_out() -> None:
    class Broken(Dictionary):
        def put(self, name: str, data: bytes) -> None:
            raise OSError("the disk is full")

    made = Compressor(store=Broken()).compress_output(TEXT, tool="Bash", arguments=CALL)
    assert made.reference is None


def test_the_interpreter_is_free_meanwhile_and_asyncio_goes_on() -> None:
    compressor = Compressor()

    async def both() -> tuple[int, int]:
        texts = [f"{n}\n{TEXT}" for n in range(8)]
        made = await asyncio.gather(*(compressor.acompress_output(text, tool="Bash") for text in texts))
        return len(made), sum(one.tokens_before > 0 for one in made)

    assert asyncio.run(both()) == (8, 8)
    # Another thread runs Python while this one compresses: it would not get to if the interpreter were held.
    counted = [0]
    is_done = threading.Event()

    def count() -> None:
        while not is_done.is_set():
            counted[0] += 1

    counting = threading.Thread(target=count)
    counting.start()
    before = counted[0]
    compressor.compress_output("".join(f'{{"n": {n}, "text": "{time.time()}"}}\n' for n in range(20000)))
    during = counted[0] - before
    is_done.set()
    counting.join()
    assert during > 0
