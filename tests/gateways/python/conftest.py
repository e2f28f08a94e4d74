"""The other gateways, each started once as its users start it."""

import os
import secrets
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(os.environ["FOLDER"])
PATIENCE = 180
# It does not start with a key that is easily guessed.
MASTER_KEY = f"sk-{secrets.token_hex(32)}"


@pytest.fixture(scope="session", params=["1.106", "1.109"])
def litellm(request):
    """LiteLLM's proxy, with its guardrail `headroom` pointed at us. From 1.109 on it says that it can fetch."""
    gone = free_port()
    config = FOLDER / "config.yaml"
    config.write_text(LITELLM_CONFIG.format(gone=gone, **os.environ))
    port = free_port()
    command = [os.environ["LITELLM"], "--config", config, "--host", "127.0.0.1", "--port", str(port)]
    more = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1", "LITELLM_MASTER_KEY": MASTER_KEY}
    more["PYTHONPATH"] = "" if request.param == "1.106" else os.environ["LITELLM_NEWEST"]
    for url in started(command, port, more):
        yield Proxy(url, MASTER_KEY, fetches=request.param != "1.106")


@dataclass
class Proxy:
    url: str
    key: str
    fetches: bool


@pytest.fixture(scope="session")
def portkey():
    """Portkey's gateway; a client says in a header which guardrails its requests have."""
    port = free_port()
    yield from started(["node", os.environ["PORTKEY"], f"--port={port}", "--headless"], port, {})


def started(command, port, more):
    log = FOLDER / f"{port}.log"
    with log.open("wb") as output:
        program = subprocess.Popen(command, stdout=output, stderr=output, cwd=FOLDER, env={**os.environ, **more})
    try:
        until = time.monotonic() + PATIENCE
        while not listens(port):
            assert program.poll() is None and time.monotonic() < until, log.read_text()[-4000:]
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        program.terminate()
        try:
            program.wait(20)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        print(log.read_text()[-4000:])


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


LITELLM_CONFIG = """
model_list:
  - model_name: gpt-5
    litellm_params: {{ model: openai/gpt-5, api_base: "{MOCK_URL}/v1", api_key: test }}
  - model_name: claude-opus-4-5
    litellm_params: {{ model: anthropic/claude-opus-4-5, api_base: "{MOCK_URL}", api_key: test }}
guardrails:
  - guardrail_name: tokenforge
    litellm_params:
      guardrail: headroom
      mode: pre_call
      api_base: "{GATEWAY_URL}"
      api_key: "{GATEWAY_KEY}"
      default_on: true
  - guardrail_name: wrong-key-open
    litellm_params:
      guardrail: headroom
      mode: pre_call
      api_base: "{GATEWAY_URL}"
      api_key: no-key-of-ours
      unreachable_fallback: fail_open
  - guardrail_name: gone-open
    litellm_params: {{ guardrail: headroom, mode: pre_call, api_base: "http://127.0.0.1:{gone}", unreachable_fallback: fail_open }}
  - guardrail_name: gone
    litellm_params: {{ guardrail: headroom, mode: pre_call, api_base: "http://127.0.0.1:{gone}" }}
"""
