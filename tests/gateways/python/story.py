"""A conversation of two turns with large results, and what a provider was sent of it."""

import json

import mock
from agents import anthropic_messages, openai_chat, openai_responses

ROWS = [{"id": n, "name": f"service-{n}", "region": "eu-west-1", "state": "running"} for n in range(120)]
TESTS = [f"test parser::reads_document_{n} ... ok" for n in range(1000, 1400)]
OUTPUTS = {
    "./list-services": json.dumps(ROWS, indent=2),
    "cargo test": "\n".join(["running 400 tests", *TESTS, "", "test result: ok. 400 passed; 0 failed", ""]),
}
REPLIES = [
    {"call": "Bash", "arguments": {"command": "./list-services"}},
    {"call": "Bash", "arguments": {"command": "cargo test"}},
    {"text": "All tests passed."},
    {"text": "There are 120 services."},
]

# The conversation of a client, and that of a request to the provider; for each the path of the provider.
CLIENTS = {
    "chat": (openai_chat, "messages", "/v1/chat/completions"),
    "messages": (anthropic_messages, "messages", "/v1/messages"),
    "responses": (openai_responses, "input", "/v1/responses"),
}


def tell(agent, streams, replies=REPLIES):
    """Goes through the whole conversation; returns what the model said and what the provider was sent."""
    mock.call("DELETE", "requests")
    mock.call("DELETE", "replies")
    mock.call("POST", "replies", replies)
    said = turn(agent, streams)
    conversation = agent.messages if hasattr(agent, "messages") else agent.input
    conversation.append({"role": "user", "content": "How many services are there?"})
    return said + turn(agent, streams), sent()


def turn(agent, streams):
    """Asks until the model has no more calls; returns its texts."""
    said = []
    while True:
        asked = agent.ask(streams)
        said.append(asked.text)
        if not asked.calls:
            return said
        for call in asked.calls:
            assert call.name == "Bash"
            agent.answer(call, OUTPUTS[call.arguments["command"]])


def sent():
    """The bodies that the provider was sent, none of which it refused."""
    requests = [request for request in mock.requests() if request["method"] == "POST"]
    assert [request["refused"] for request in requests] == [None] * len(requests)
    return [request["body"] for request in requests]


def calls(body):
    """The ids of the calls in a request, in order."""
    return [id for id, _, kind in exchanges(body) if kind == "call"]


def results(body):
    """The texts of the results in a request, by the ids of the calls they answer."""
    return {id: text for id, text, kind in exchanges(body) if kind == "result"}


def exchanges(body):
    for item in body.get("messages") or body.get("input"):
        for call in item.get("tool_calls") or []:
            yield call["id"], "", "call"
        if item.get("role") == "tool":
            yield item["tool_call_id"], text(item["content"]), "result"
        if item.get("type") == "function_call":
            yield item["call_id"], "", "call"
        if item.get("type") == "function_call_output":
            yield item["call_id"], text(item["output"]), "result"
        for block in item["content"] if isinstance(item.get("content"), list) else []:
            if block["type"] == "tool_use":
                yield block["id"], "", "call"
            if block["type"] == "tool_result":
                yield block["tool_use_id"], text(block["content"]), "result"


def text(content):
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
