"""LangChain's agent with the middleware, against a model that records what it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr
from tokenforge_engine.adapters.langchain import TokenforgeMiddleware, _tool_name

from script import ISSUES, LOG, bash, check_requests, list_issues, next_call


class ScriptedModel(BaseChatModel):
    _requests: list[list[str]] = PrivateAttr(default_factory=list)
    _tools: list[str] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        self._tools = [tool.name for tool in tools]
        return self

    def _message(self, messages: list[BaseMessage]) -> AIMessage:
        results = [str(message.text) for message in messages if isinstance(message, ToolMessage)]
        self._requests.append(results)
        call = next_call(results)
        if call is None:
            return AIMessage("done")
        return AIMessage("", tool_calls=[{"id": f"call_{len(results)}", "name": call[0], "args": call[1]}])

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._message(messages))])

    def _stream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        message = self._message(messages)
        yield ChatGenerationChunk(message=AIMessageChunk(content=message.content, tool_calls=message.tool_calls))


ASKED: Any = {"messages": [{"role": "user", "content": "test it"}]}


def run(agent: Any, way: str) -> list[Any]:
    """The messages of the state in the end."""
    if way == "invoke":
        return list(agent.invoke(ASKED)["messages"])
    if way == "ainvoke":
        return list(asyncio.run(agent.ainvoke(ASKED))["messages"])
    if way == "stream":
        return list(list(agent.stream(ASKED, stream_mode=["messages", "values"]))[-1][1]["messages"])

    async def streamed() -> list[Any]:
        last: Any = None
        async for last in agent.astream(ASKED, stream_mode=["messages", "values"]):
            pass
        return list(last[1]["messages"])

    return asyncio.run(streamed())


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream"])
def test_the_model_gets_smaller_results_and_fetches_what_was_left_out(way: str) -> None:
    model = ScriptedModel()
    agent = create_agent(model, [bash, list_issues], middleware=[TokenforgeMiddleware()])
    messages = run(agent, way)
    assert sorted(model._tools) == ["bash", "expand_context", "list_issues"]
    check_requests(model._requests, leaves_out=True)
    kept = [message.content for message in messages if isinstance(message, ToolMessage)]
    assert kept == [LOG, ISSUES, LOG]
    assert messages[-1].content == "done"


def without_our_tool(request: ModelRequest[Any]) -> ModelRequest[Any]:
    return request.override(tools=[tool for tool in request.tools if _tool_name(tool) != "expand_context"])


class TakesOurToolAway(AgentMiddleware[Any, Any, Any]):
    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(without_our_tool(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        return await handler(without_our_tool(request))


@pytest.mark.parametrize("way", ["invoke", "astream"])
def test_without_our_tool_nothing_is_left_out(way: str) -> None:
    model = ScriptedModel()
    middleware: list[Any] = [TakesOurToolAway(), TokenforgeMiddleware()]
    run(create_agent(model, [bash, list_issues], middleware=middleware), way)
    check_requests(model._requests, leaves_out=False)


def test_texts_among_other_blocks_become_smaller_and_the_others_stay() -> None:
    image = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    said: list[AnyMessage] = [
        AIMessage("", tool_calls=[{"id": "call_0", "name": "bash", "args": {"command": "cargo test"}}]),
        ToolMessage([image, {"type": "text", "text": LOG}, "plain"], tool_call_id="call_0"),
    ]
    request: ModelRequest[Any] = ModelRequest(model=ScriptedModel(), messages=said)
    sent = TokenforgeMiddleware()._compressed(request).messages[1].content
    assert sent[0] == image and sent[2] == "plain"
    assert isinstance(sent[1], dict) and len(sent[1]["text"]) <= len(LOG)
