"""An arm's gateway: a program of its own for every run, with a home of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .manifest import Arm

PATIENCE = 90
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
              "DOCKER_HOST", "PYENV_ROOT", "HF_HOME")


class ArmError(Exception):
    """The arm did not start, or ended: no fault of the agent."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with nothing of the user's but what programs need to start: no settings, and no key but the one given."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**kept, "HOME": str(home), "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", **more}


def filled(command: list[str], **values: object) -> list[str]:
    return [part.format(**values) for part in command]


@contextmanager
def gateway(arm: Arm, upstream: str, folder: Path, **values: object) -> Iterator[str]:
    """The address that an agent is given: the arm's gateway before the upstream, or the upstream itself."""
    if not arm.gateway:
        yield upstream
        return
    home = folder / "arm"
    home.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = filled(arm.gateway, port=port, upstream=upstream, **values)
    with open(folder / "arm.log", "wb") as log:
        try:
            process = subprocess.Popen(command, env=environment(home, **arm.environment), cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError as error:
            raise ArmError(f"{arm.name}: cannot start {command[0]}: {error}") from None
        try:
            _wait(process, f"http://127.0.0.1:{port}{arm.ready}", arm, folder)
            yield f"http://127.0.0.1:{port}"
            if process.poll() is not None:
                raise ArmError(f"{arm.name} ended during the run, with {process.returncode}; see {folder / 'arm.log'}")
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: "subprocess.Popen[bytes]", url: str, arm: Arm, folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end and process.poll() is None:
        try:
            opener.open(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise ArmError(f"{arm.name} did not answer at {url}; see {folder / 'arm.log'}")
