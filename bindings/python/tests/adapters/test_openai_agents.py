"""The runner of the OpenAI Agents SDK with the filter, against a model that records what it is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from tokenforge_engine.adapters.openai_agents import TokenforgeFilter

from script import ISSUES, LOG, bash, check_requests, list_issues, next_call


class ScriptedModel(Model):
    def __init__(self) -> None:
        self.requests: list[list[str]] = []
        self.tools: list[str] = []

    def _output(self, items: Any, tools: Any) -> list[Any]:
        results = [item["output"] for item in items if item.get("type") == "function_call_output"]
        self.requests.append(results)
        self.tools = [tool.name for tool in tools]
        call = next_call(results)
        if call is None:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            return [
                ResponseOutputMessage(
                    id="msg_1", type="message", role="assistant", status="completed", content=[text]
                )
            ]
        return [
            ResponseFunctionToolCall(
                type="function_call", call_id=f"call_{len(results)}", name=call[0], arguments=json.dumps(call[1])
            )
        ]

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        items = [] if isinstance(input, str) else input
        tools = kwargs.get("tools") or args[1]
        return ModelResponse(output=self._output(items, tools), usage=Usage(), response_id=None)

    async def stream_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        made = await self.get_response(system_instructions, input, *args, **kwargs)
        response = Response(
            id="resp_1",
            created_at=0,
            model="scripted",
            object="response",
            output=made.output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=False,
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)


def run(tools: list[Any], tokenforge: TokenforgeFilter, streams: bool) -> tuple[ScriptedModel, Any]:
    model = ScriptedModel()
    own: list[Any] = [function_tool(bash), function_tool(list_issues)]
    agent = Agent(name="Coder", model=model, tools=own + tools)
    config = RunConfig(call_model_input_filter=tokenforge, tracing_disabled=True)

    async def go() -> Any:
        if not streams:
            return await Runner.run(agent, "test it", run_config=config)
        result = Runner.run_streamed(agent, "test it", run_config=config)
        async for _ in result.stream_events():
            pass
        return result

    return model, asyncio.run(go())


@pytest.mark.parametrize("streams", [False, True])
def test_the_model_gets_smaller_results_and_fetches_what_was_left_out(streams: bool) -> None:
    tokenforge = TokenforgeFilter()
    model, result = run([tokenforge.tool], tokenforge, streams)
    assert model.tools == ["bash", "list_issues", "expand_context"]
    check_requests(model.requests, leaves_out=True)
    kept = [item["output"] for item in result.to_input_list() if item.get("type") == "function_call_output"]
    assert kept == [LOG, ISSUES, LOG]
    assert result.final_output == "done"


@pytest.mark.parametrize("streams", [False, True])
def test_without_our_tool_nothing_is_left_out(streams: bool) -> None:
    model, _ = run([], TokenforgeFilter(), streams)
    check_requests(model.requests, leaves_out=False)


@pytest.mark.parametrize("arguments", ["", "[]", "{", '{"id": "shadow_x"}', '{"id": 5}'])
def test_a_bad_call_of_our_tool_is_answered_in_words(arguments: str) -> None:
    tool: FunctionTool = TokenforgeFilter().tool
    context: Any = None

    async def ask() -> Any:
        return await tool.on_invoke_tool(context, arguments)

    answer = asyncio.run(ask())
    assert isinstance(answer, str) and len(answer) > 20
