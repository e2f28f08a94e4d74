"""FastMCP: a middleware that makes the results of a server's tools smaller.

    >>> server = FastMCP("files", middleware=[TokenforgeMiddleware()])  # doctest: +SKIP

`expand_context` is added to the server's tools. A structured copy of a text that became smaller is left out, since clients
would show that one to their model; therefore no tool promises one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Optional

from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware
from fastmcp.tools.base import Tool, ToolResult

from .. import EXPAND_TOOL, Compressor, OriginalNotFound


class TokenforgeMiddleware(ToolInjectionMiddleware):
    """Compresses the texts in tool results."""

    def __init__(self, compressor: Optional[Compressor] = None) -> None:
        self.compressor = compressor or Compressor()
        super().__init__([_expand_tool(self.compressor)])

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        tools = await call_next(context)
        return [tool.model_copy(update={"output_schema": None}) for tool in tools]

    async def on_call_tool(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        result = await call_next(context)
        tool, arguments = context.message.name, context.message.arguments
        # What was asked for in full is given in full; an acknowledgement of a task has no content.
        if tool == EXPAND_TOOL["name"] or type(result) is not ToolResult:
            return result
        texts = [block.text for block in result.content if block.type == "text"]
        if result.structured_content is not None and not _repeats(result.structured_content, texts):
            return result
        content = []
        for block in result.content:
            if block.type == "text":
                made = await self.compressor.acompress_output(
                    block.text, tool=tool, arguments=arguments, is_error=result.is_error
                )
                block = block.model_copy(update={"text": made.text})
            content.append(block)
        if content == result.content:
            return result
        return ToolResult(content=content, meta=result.meta, is_error=result.is_error)


def _repeats(structured: Any, texts: Sequence[str]) -> bool:
    """Whether the structured copy says nothing that the one text does not."""
    if len(texts) != 1:
        return False
    said: list[Any] = [texts[0]]
    try:
        said.append(json.loads(texts[0]))
    except ValueError:
        pass
    return structured in said or any(structured == {"result": one} for one in said)


def _expand_tool(compressor: Compressor) -> Tool:
    async def expand_context(
        id: str, lines: Optional[str] = None, grep: Optional[str] = None, path: Optional[str] = None
    ) -> str:
        try:
            return await compressor.aexpand(id, lines=lines, grep=grep, path=path)
        except OriginalNotFound as missing:
            return str(missing)

    return Tool.from_function(
        expand_context, name=EXPAND_TOOL["name"], description=EXPAND_TOOL["description"], output_schema=None
    )
