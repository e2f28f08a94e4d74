"""The engine in Python: the bytes of the gateway, clear exceptions, and a store of one's own."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from pathlib import Path
from typing import Any, Iterator, Optional

import pytest
import tokenforge_engine as tokenforge
from tokenforge_engine import Compressor, OriginalNotFound, TokenforgeError

TEXT = "".join(f"test api::case_{n:02} ... ok\n" for n in range(60))
CALL = {"command": "cargo test"}


def vectors() -> Iterator[dict[str, Any]]:
    """What Rust makes of every recorded request and output: `cargo run -p tokenforge-embed --example vectors`."""
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
            made = compressor.compress_body(line["body"].encode(), provider=line["provider"])
            assert made.body == line["made"].encode()
            requests += 1
        else:
            text = compressor.compress_output(line["output"], tool="Bash", arguments=line["arguments"]).text
            assert text == line["made"]
            outputs += 1
        smaller += len(line["made"]) < len(line.get("body") or line["output"])
    assert requests >= 30 and outputs >= 100 and smaller >= 60, (requests, outputs, smaller)


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
    with pytest.raises(TokenforgeError):
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
