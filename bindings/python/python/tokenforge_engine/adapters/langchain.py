"""LangChain and LangGraph: a middleware that makes tool results smaller on their way to the model.

    >>> from langchain.agents import create_agent
    >>> agent = create_agent(model, tools, middleware=[TokenforgeMiddleware()])  # doctest: +SKIP

The state of the agent keeps the results as they came: only what a model call is given is smaller. `expand_context` is added to
the agent's tools and answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Optional

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool

from .. import EXPAND_TOOL, Compressor, OriginalNotFound


class TokenforgeMiddleware(AgentMiddleware[Any, Any, Any]):
    """Compresses tool results for model calls. Give every agent the same compressor, or one with a store that is kept."""

    def __init__(self, compressor: Optional[Compressor] = None) -> None:
        super().__init__()
        self.compressor = compressor or Compressor()
        self.tools: Sequence[BaseTool] = [_expand_tool(self.compressor)]

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._compressed(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        return await handler(await asyncio.to_thread(self._compressed, request))

    def _compressed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        if not any(isinstance(message, ToolMessage) for message in request.messages):
            return request
        made = self.compressor.compress(
            [_in_chat_form(message) for message in request.messages],
            provider="openai_chat",
            model=_model_name(request.model),
            # Another middleware may have taken our tool away: nothing is left out then.
            caller_fetches=any(_tool_name(tool) == EXPAND_TOOL["name"] for tool in request.tools),
        )
        pairs = zip(request.messages, made.request["messages"])
        return request.override(messages=[_with_content(message, sent) for message, sent in pairs])


def _expand_tool(compressor: Compressor) -> BaseTool:
    async def expand(**arguments: Any) -> str:
        return answer(**arguments)

    def answer(id: str = "", **part: Any) -> str:
        try:
            return compressor.expand(id, **{name: part[name] for name in ("lines", "grep", "path") if name in part})
        except OriginalNotFound as missing:
            return str(missing)

    return StructuredTool(
        name=EXPAND_TOOL["name"],
        description=EXPAND_TOOL["description"],
        args_schema=dict(EXPAND_TOOL["input_schema"]),
        func=answer,
        coroutine=expand,
    )


def _in_chat_form(message: AnyMessage) -> dict[str, Any]:
    if isinstance(message, ToolMessage):
        content = message.content
        if not isinstance(content, str):
            content = [{"type": "text", "text": text} for text in map(_text, content) if text is not None]
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if not isinstance(message, AIMessage):
        return {"role": "user", "content": str(message.text)}
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
        }
        for call in message.tool_calls
    ]
    return {"role": "assistant", "content": str(message.text), **({"tool_calls": calls} if calls else {})}


def _with_content(message: AnyMessage, sent: dict[str, Any]) -> AnyMessage:
    if not isinstance(message, ToolMessage):
        return message
    content = sent["content"]
    if not isinstance(message.content, str):
        texts = iter(content)
        content = [
            block if _text(block) is None else _block_with(block, next(texts)["text"]) for block in message.content
        ]
    return message if content == message.content else message.model_copy(update={"content": content})


def _text(block: Any) -> Optional[str]:
    if isinstance(block, str):
        return block
    text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _block_with(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _tool_name(tool: Any) -> Optional[str]:
    return tool.get("name") if isinstance(tool, dict) else tool.name


def _model_name(model: Any) -> str:
    name = getattr(model, "model_name", None) or getattr(model, "model", None)
    return name if isinstance(name, str) else ""
