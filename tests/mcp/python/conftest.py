"""Tests run on the event loop that the clients are made for."""

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"
