"""Real clients in front of the gateway, real servers behind it: everything is as if they spoke to each other."""

import base64
import os
import uuid
from pathlib import Path

import anyio
import pytest
from sdk import MODES, VERSION, connect, plain
from servers import command_of, kill, refresh

FOLDER = Path(os.environ["FOLDER"])
GATEWAY = os.environ["GATEWAY_URL"]
LONG = "trigger-long-running-operation"
LONG_TIME = {"duration": 120, "steps": 1200}

pytestmark = pytest.mark.anyio


class Door:
    """A way to the servers: where to, and what their tools are called there."""

    def __init__(self, name, mode):
        self.name, self.mode = name, mode

    def to(self, server, *arguments):
        where = {
            "/mcp": f"{GATEWAY}/mcp",
            "/mcp/PREFIX": f"{GATEWAY}/mcp/{server}",
            "mcp stdio": [os.environ["TOKENFORGE"], "mcp", "stdio", "--", *command_of(server), *arguments],
        }
        return connect(where[self.name], self.mode)

    def named(self, server, name):
        return f"{server}__{name}" if self.name == "/mcp" else name

    async def call(self, client, server, tool, arguments=None, **options):
        return plain(await client.call_tool(self.named(server, tool), arguments or {}, **options))


# A program is spoken to in its own era, whatever the client prefers.
DOORS = [(door, mode) for mode in MODES for door in ("/mcp", "/mcp/PREFIX")] + [("mcp stdio", MODES[-1])]


@pytest.fixture(params=DOORS, ids=lambda at: f"Python SDK {VERSION}, {at[1]}, {at[0]}")
def door(request):
    return Door(*request.param)


async def test_lists_tools_prompts_and_resources(door):
    for server, tool in [("files", "read_text_file"), ("everything", "echo"), ("memory", "read_graph"), ("git", "git_log")]:
        async with door.to(server) as client:
            tools = (await client.list_tools()).tools
            assert door.named(server, tool) in [tool.name for tool in tools]
    async with door.to("everything") as client:
        prompts = (await client.list_prompts()).prompts
        assert door.named("everything", "simple-prompt") in [prompt.name for prompt in prompts]
        resources = (await client.list_resources()).resources
        assert plain(await client.read_resource(resources[0].uri))["contents"][0]["text"]


async def test_calls_tools_of_every_server(door):
    async with door.to("files") as client:
        path = FOLDER / "notes.txt"
        read = await door.call(client, "files", "read_text_file", {"path": str(path)})
        assert read["content"][0]["text"] == path.read_text()
    async with door.to("everything") as client:
        assert "5" in (await door.call(client, "everything", "get-sum", {"a": 2, "b": 3}))["content"][0]["text"]
    async with door.to("git") as client:
        log = await door.call(client, "git", "git_log", {"repo_path": str(FOLDER / "repository")})
        assert "the first commit" in log["content"][0]["text"]
    async with door.to("memory") as client:
        name = str(uuid.uuid4())
        entity = {"name": name, "entityType": "test", "observations": ["seen"]}
        await door.call(client, "memory", "create_entities", {"entities": [entity]})
        assert name in (await door.call(client, "memory", "search_nodes", {"query": name}))["content"][0]["text"]


async def test_hears_of_errors(door):
    async with door.to("files") as client:
        missing = await door.call(client, "files", "read_text_file", {"path": str(FOLDER / "missing")})
        assert missing["isError"] and "ENOENT" in missing["content"][0]["text"]
    async with door.to("everything") as client:
        assert (await door.call(client, "everything", "echo", {"message": 1}))["isError"]
        with pytest.raises(Exception, match="(?i)prompt"):
            await client.get_prompt(door.named("everything", "no-such-prompt"))


async def test_gets_images(door):
    async with door.to("everything") as client:
        content = (await door.call(client, "everything", "get-tiny-image"))["content"]
        [image] = [block for block in content if block["type"] == "image"]
        assert image["mimeType"] == "image/png"
        assert base64.b64decode(image["data"])[1:4] == b"PNG"


async def test_gets_structured_results(door):
    async with door.to("everything") as client:
        # A client that listed the tools compares results with their schemas.
        await client.list_tools()
        weather = await door.call(client, "everything", "get-structured-content", {"location": "New York"})
        assert sorted(weather["structuredContent"]) == ["conditions", "humidity", "temperature"]


async def test_takes_a_call_back(door):
    if VERSION.startswith("1.") and door.name == "mcp stdio":
        pytest.skip("version 1 tells no program that it takes a call back, and breaks at what it goes on to say")
    async with door.to("everything") as client:
        with anyio.CancelScope() as scope:

            async def progressed(*_):
                scope.cancel()

            await door.call(client, "everything", LONG, LONG_TIME, progress_callback=progressed)
        assert scope.cancelled_caught
        echo = await door.call(client, "everything", "echo", {"message": "still there"})
        assert "still there" in echo["content"][0]["text"]


async def test_hears_that_a_server_was_killed_in_mid_call(door):
    is_program = door.name == "mcp stdio"
    word = str(uuid.uuid4()) if is_program else f"{FOLDER}/doomed"
    killed = []
    refresh("doomed")

    async def progressed(*_):
        killed.append(kill(word) if not killed else 0)

    async def calls_for_long():
        async with door.to("doomed", *([word] if is_program else [])) as client:
            with anyio.fail_after(60):
                await door.call(client, "doomed", LONG, LONG_TIME, progress_callback=progressed)

    with pytest.raises(BaseException) as raised:
        await calls_for_long()
    assert not raised.errisinstance(TimeoutError) and killed[0] > 0
