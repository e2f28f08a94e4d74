"""A server of FastMCP with the middleware, called by FastMCP's client in the same process and over HTTP, where answers are
streams of events or one JSON text."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Optional

import pytest
from fastmcp import Client, FastMCP
from fastmcp.utilities.tests import asgi_server
from tokenforge_engine.adapters.fastmcp import TokenforgeMiddleware

from script import ISSUES, LOG, bash, check_requests, list_issues, next_call


def server() -> FastMCP[Any]:
    made: FastMCP[Any] = FastMCP("tools", middleware=[TokenforgeMiddleware()])
    made.tool(bash)
    made.tool(list_issues)
    return made


def text(result: Any) -> str:
    [block] = result.content
    return str(block.text)


async def converse(client: Client[Any]) -> None:
    async with client:
        tools = await client.list_tools()
        assert sorted(tool.name for tool in tools) == ["bash", "expand_context", "list_issues"]
        results: list[str] = []
        requests: list[list[str]] = [[]]
        while (call := next_call(results)) is not None:
            result = await client.call_tool(*call)
            # Clients would show the structured copy to their model: it repeats the text, so it is not there.
            assert result.structured_content is None
            results = [*results, text(result)]
            requests.append(results)
        check_requests(requests, leaves_out=True)


def test_results_are_smaller_in_the_same_process() -> None:
    asyncio.run(converse(Client(server())))


@pytest.mark.parametrize("answers_in_json", [False, True])
def test_results_are_smaller_over_http(answers_in_json: bool) -> None:
    async def go() -> None:
        async with asgi_server(server(), json_response=answers_in_json) as running:
            await converse(running.client())

    asyncio.run(go())


def test_what_only_the_structured_copy_says_stays() -> None:
    made: FastMCP[Any] = FastMCP("tools", middleware=[TokenforgeMiddleware()])

    @made.tool
    def small() -> dict[str, int]:
        return {"n": 1}

    @made.tool
    def different() -> Any:
        from fastmcp.tools.base import ToolResult

        return ToolResult(content=LOG, structured_content={"failed": 0})

    async def go() -> None:
        async with Client(made) as client:
            assert json.loads(text(await client.call_tool("small"))) == {"n": 1}
            result = await client.call_tool("different")
            assert text(result) == LOG and result.structured_content == {"failed": 0}

    asyncio.run(go())


def test_a_reference_that_nobody_knows_is_answered_in_words() -> None:
    async def go() -> Optional[str]:
        async with Client(server()) as client:
            return text(await client.call_tool("expand_context", {"id": "shadow_" + "a" * 35}))

    assert "No original is kept under" in str(asyncio.run(go()))
