"""The official client for Python, old or new, behind one face."""

from contextlib import asynccontextmanager
from importlib.metadata import version

from mcp import StdioServerParameters

VERSION = version("mcp")

if VERSION.startswith("1."):
    from mcp import ClientSession
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    MODES = ["with a session"]

    @asynccontextmanager
    async def connect(where, _mode):
        """A client of an address, or of a command and its arguments."""
        transport = streamable_http_client(where) if isinstance(where, str) else stdio_client(program(where))
        async with transport as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            yield session

else:
    from mcp import Client

    MODES = ["with a session", "without sessions"]

    def connect(where, mode):
        """A client of an address, or of a command and its arguments."""
        server = where if isinstance(where, str) else program(where)
        return Client(server, mode="legacy" if mode == "with a session" else "auto")


def program(where):
    return StdioServerParameters(command=where[0], args=where[1:])


def plain(result):
    """A result as it is on the wire; the two versions name its members differently."""
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)
