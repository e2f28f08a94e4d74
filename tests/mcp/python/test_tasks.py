"""Tasks of a real server through every way, by the official client that has them (version 1)."""

import pytest
from sdk import VERSION
from test_clients import Door

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not VERSION.startswith("1."), reason="version 2 has no tasks"),
]


@pytest.fixture(params=["/mcp", "/mcp/PREFIX", "mcp stdio"])
def door(request):
    return Door(request.param, "with a session")


async def test_a_task_is_followed_to_its_result(door):
    from mcp import types

    async with door.to("everything") as client:
        tasks = client.experimental
        begun = await tasks.call_tool_as_task(door.named("everything", "simulate-research-query"), {"topic": "tides"})
        states = [state.status async for state in tasks.poll_task(begun.task.taskId)]
        assert states[0] == "working" and states[-1] == "completed"
        result = await tasks.get_task_result(begun.task.taskId, types.CallToolResult)
        assert "Research Report: tides" in result.content[0].text


async def test_a_task_is_cancelled_and_listed(door):
    async with door.to("everything") as client:
        tasks = client.experimental
        begun = await tasks.call_tool_as_task(door.named("everything", "simulate-research-query"), {"topic": "tides"})
        assert (await tasks.cancel_task(begun.task.taskId)).status == "cancelled"
        listed = {task.taskId: task.status for task in (await tasks.list_tasks()).tasks}
        assert listed[begun.task.taskId] == "cancelled"
