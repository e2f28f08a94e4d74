"""How long the engine takes in Python: one output of 20 KB at a time, each of them new. Prints JSON."""

from __future__ import annotations

import json
import sys
import time

import tokenforge_engine as tokenforge


def main() -> None:
    texts = json.load(sys.stdin)
    began = time.perf_counter()
    compressor = tokenforge.Compressor()
    opened = time.perf_counter()
    compressor.compress_output(texts["warm up"][0], tool="Bash")
    first = time.perf_counter()
    times = {"open": opened - began, "first": first - opened}
    for name, versions in texts.items():
        taken = []
        for text in versions:
            began = time.perf_counter()
            compressor.compress_output(text, tool="Bash")
            taken.append(time.perf_counter() - began)
        times[name] = sorted(taken)
    json.dump(times, sys.stdout)


main()
