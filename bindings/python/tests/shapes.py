"""A conversation with one tool result, in the shape of each provider, and the result as it is in a request."""

from __future__ import annotations

from typing import Any

CALL = {"command": "cargo test"}


def shaped(provider: str, text: str) -> tuple[list[Any], dict[str, Any]]:
    """The conversation and the other members of the request."""
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    use: dict[str, Any]
    result: dict[str, Any]
    if provider in ("anthropic", "bedrock_invoke"):
        use = {"type": "tool_use", "id": "toolu_01", "name": "Bash", "input": CALL}
        result = {"type": "tool_result", "tool_use_id": "toolu_01", "content": text}
        messages = _turns({"role": "user", "content": "test it"}, [use], [result])
        members = {"max_tokens": 1000, "tools": [{"name": "Bash", "input_schema": schema}]}
        if provider == "anthropic":
            return messages, {"model": "claude-sonnet-4-5", **members}
        version = "bedrock-2023-05-31"  # by which it is known that the model is one of Anthropic's
        return messages, {"modelId": "us.anthropic.claude-opus-5-5", "anthropic_version": version, **members}
    if provider == "bedrock_converse":
        use = {"toolUse": {"toolUseId": "tooluse_1", "name": "Bash", "input": CALL}}
        result = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": text}]}}
        messages = _turns({"role": "user", "content": [{"text": "test it"}]}, [use], [result])
        tool = {"toolSpec": {"name": "Bash", "inputSchema": {"json": schema}}}
        return messages, {"modelId": "amazon.nova-pro-v1:0", "toolConfig": {"tools": [tool]}}
    if provider == "gemini":
        call = {"functionCall": {"name": "Bash", "args": CALL}}
        result = {"functionResponse": {"name": "Bash", "response": {"output": text}}}
        contents = [
            {"role": "user", "parts": [{"text": "test it"}]},
            {"role": "model", "parts": [call]},
            {"role": "user", "parts": [result]},
        ]
        tools = [{"functionDeclarations": [{"name": "Bash", "parameters": schema}]}]
        return contents, {"model": "gemini-3-pro", "tools": tools}
    function: dict[str, Any] = {"name": "Bash", "parameters": schema}
    if provider == "openai_responses":
        items = [
            {"role": "user", "content": "test it"},
            {"type": "function_call", "call_id": "call_1", "name": "Bash", "arguments": '{"command":"cargo test"}'},
            {"type": "function_call_output", "call_id": "call_1", "output": text},
        ]
        return items, {"model": "gpt-5", "store": False, "tools": [{"type": "function", **function}]}
    arguments: Any = CALL if provider == "ollama" else '{"command":"cargo test"}'
    called = {"id": "call_1", "type": "function", "function": {"name": "Bash", "arguments": arguments}}
    answer = {"role": "tool", "content": text}
    answer |= {"tool_name": "Bash"} if provider == "ollama" else {"tool_call_id": "call_1"}
    messages = [
        {"role": "user", "content": "test it"},
        {"role": "assistant", "content": "", "tool_calls": [called]},
        answer,
    ]
    model = "qwen3:70b" if provider == "ollama" else "gpt-5"
    return messages, {"model": model, "tools": [{"type": "function", "function": function}]}


def _turns(user: Any, use: list[Any], result: list[Any]) -> list[Any]:
    return [user, {"role": "assistant", "content": use}, {"role": "user", "content": result}]


def result_of(provider: str, request: dict[str, Any]) -> str:
    """The text of the result in a request."""
    if provider == "gemini":
        return str(request["contents"][-1]["parts"][0]["functionResponse"]["response"]["output"])
    if provider == "openai_responses":
        return str(request["input"][-1]["output"])
    content = request["messages"][-1]["content"]
    if provider in ("anthropic", "bedrock_invoke"):
        return str(content[0]["content"])
    if provider == "bedrock_converse":
        return str(content[0]["toolResult"]["content"][0]["text"])
    return str(content)
