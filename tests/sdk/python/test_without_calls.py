"""Requests of real SDKs whose replies cannot call a tool through the gateway: batches, and conversations to be shortened."""

import json
import os

import mock
from agents import DESCRIPTION, NAME, PARAMETERS, QUESTION
from anthropic import Anthropic
from openai import OpenAI

ROWS = [{"id": n, "name": f"row {n}", "ok": n % 2 == 0} for n in range(100)]
OUTPUT = json.dumps(ROWS, indent=2)


def forwarded():
    """The body of the one request that came, which was not refused, and of which nothing was left out."""
    [request] = mock.requests()
    assert request["refused"] is None
    text = json.dumps(request["body"])
    assert "expand_context" not in text and "<<<SHADOW:" not in text
    return request["body"]


def test_a_batch():
    mock.begin("plain")
    client = Anthropic(base_url=os.environ["GATEWAY_URL"], api_key="test", max_retries=0)
    call = {"type": "tool_use", "id": "toolu_1", "name": NAME, "input": {"command": "rows"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": OUTPUT}
    params = {
        "model": "claude-opus-4-5",
        "max_tokens": 1024,
        "tools": [{"name": NAME, "description": DESCRIPTION, "input_schema": PARAMETERS}],
        "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ],
    }
    batch = client.messages.batches.create(requests=[{"custom_id": name, "params": params} for name in ("a", "b")])
    assert (batch.processing_status, batch.request_counts.processing) == ("in_progress", 2)
    for request in forwarded()["requests"]:
        result = request["params"]["messages"][2]["content"][0]
        assert result["tool_use_id"] == "toolu_1" and len(result["content"]) < len(OUTPUT) / 2


def test_a_compaction():
    mock.begin("plain")
    client = OpenAI(base_url=f"{os.environ['GATEWAY_URL']}/v1", api_key="test", max_retries=0)
    called = {"type": "function_call", "call_id": "call_1", "name": NAME, "arguments": '{"command": "rows"}'}
    output = {"type": "function_call_output", "call_id": "call_1", "output": OUTPUT}
    compacted = client.responses.compact(
        model="gpt-5", input=[{"role": "user", "content": QUESTION}, called, output], instructions="Be brief."
    )
    assert compacted.object == "response.compaction"
    assert [item.type for item in compacted.output][-1] == "compaction"
    assert len(forwarded()["input"][2]["output"]) < len(OUTPUT) / 2
