"""Tool round trips of real SDKs through the gateway: its work is not to be seen in them, only in what the provider gets."""

import json
import os
from importlib import import_module

import mock
import pytest

SDKS = [
    "openai_chat",
    "openai_responses",
    "anthropic_messages",
    "gemini",
    "gemini_interactions",
    "gemini_interactions_unkept",
    "bedrock",
    "bedrock_signed",
    "ollama_chat",
]

TESTS = [f"test parser::reads_document_{n} ... ok" for n in range(1000, 1400)]
OUTPUTS = {
    "cargo test": "\n".join(["running 400 tests", *TESTS, "", "test result: ok. 400 passed; 0 failed", ""]),
    "cargo --version": "cargo 1.90.0",
}


@pytest.mark.parametrize("story", mock.STORIES)
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("sdk", SDKS)
def test_round_trip(sdk, streams, story):
    mock.begin(story)
    agent = import_module(f"agents.{sdk}").Agent(os.environ["GATEWAY_URL"])
    turns = [agent.ask(streams)]
    while turns[-1].calls:
        for call in turns[-1].calls:
            agent.answer(call, OUTPUTS[call.arguments["command"]])
        turns.append(agent.ask(streams))

    replies = mock.STORIES[story]["replies"]
    assert [turn.text for turn in turns] == mock.STORIES[story]["said"]
    assert {call.name for turn in turns for call in turn.calls} == {"Bash"}
    assert "expand_context" not in "".join(part for turn in turns for part in turn.seen)
    requests = mock.requests()
    assert [request["refused"] for request in requests] == [None] * len(replies)
    forwarded = [json.dumps(request["body"]) for request in requests]
    assert "<<<SHADOW:" in forwarded[1] and len(forwarded[1]) < len(OUTPUTS["cargo test"]) / 2
    assert [TESTS[200] in body for body in forwarded] == [at == 2 for at in range(len(replies))]
