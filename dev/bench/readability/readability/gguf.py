"""A model in a GGUF file, behind llama.cpp's own server, from the package xllamacpp."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "xllamacpp==2026.10.11549"
PATIENCE = 300
_SERVE = """
import os, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
params.n_parallel = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[4])
server = xllamacpp.Server(params)
sys.stdin.read()  # until the process that started it is gone, however it ended
os._exit(0)
"""


@contextmanager
def endpoint(file: Path, context: int, folder: Path) -> Iterator[str]:
    """Serves a model and gives the base URL; the package is installed once, below a folder."""
    if not file.is_file():
        raise SystemExit(f"{file} is not a file")
    python = installed(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(folder / "server.log", "wb") as log:
        process = subprocess.Popen([str(python), "-c", _SERVE, str(file), str(port), str(context), str(os.cpu_count() or 1)],
                                   stdin=subprocess.PIPE, stdout=log, stderr=log)
        try:
            wait(process, f"http://127.0.0.1:{port}/health", folder / "server.log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
            process.communicate()


def installed(folder: Path) -> Path:
    marker = folder / "installed"
    if not marker.is_file() or marker.read_text().strip() != PACKAGE:
        print(f"installing {PACKAGE}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", PACKAGE], check=True)
        marker.write_text(PACKAGE + "\n")
    return folder / "bin" / "python"


def wait(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end and process.poll() is None:
        try:
            opener.open(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"the model cannot be served; see {log}")
