#!/usr/bin/env python3
"""dev/bench/replay.py TOKENFORGE [MB] [--single] [--threads N]

Makes up transcripts of Claude Code (1,000 MB unless told otherwise), replays them, and prints how long that took and how
much memory it needed at most. With --single all of it is one session without a summary in it. Needs nothing but Python.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = "account balance cache deploy entry filter gateway handler index journal kernel ledger module node order".split()


def source_file(rng, lines):
    """A file as Read shows it."""
    def line(n):
        return f"    let {rng.choice(WORDS)}_{n} = {rng.choice(WORDS)}::{rng.choice(WORDS)}({rng.randrange(9999)});"
    return "\n".join(f"{n:6}→{line(n)}" for n in range(1, lines))


def test_run(rng, lines):
    names = (f"test {rng.choice(WORDS)}::{rng.choice(WORDS)}_{rng.randrange(9999)} ... ok" for _ in range(lines))
    return f"running {lines} tests\n" + "\n".join(names) + f"\n\ntest result: ok. {lines} passed; 0 failed"


def search(rng, lines):
    return "\n".join(
        f"src/{rng.choice(WORDS)}/{rng.choice(WORDS)}.rs:{rng.randrange(900)}:    {rng.choice(WORDS)}.{rng.choice(WORDS)}();"
        for _ in range(lines)
    )


def rows(rng, lines):
    return json.dumps(
        [{"id": n, "name": rng.choice(WORDS), "state": "open", "at": rng.randrange(10**9)} for n in range(lines)], indent=2
    )


TOOLS = [
    ("Read", lambda rng: {"file_path": f"/src/{rng.choice(WORDS)}.rs"}, source_file),
    ("Bash", lambda rng: {"command": "cargo test"}, test_run),
    ("Bash", lambda rng: {"command": f"grep -rn {rng.choice(WORDS)} src"}, search),
    ("mcp__api__list", lambda rng: {"query": rng.choice(WORDS)}, rows),
]


def entries(rng, session, compacts):
    """The lines of one session, without end."""
    number, parent, size = 0, None, 0

    def entry(kind, **members):
        nonlocal number, parent
        number += 1
        uuid = f"{session}-{number}"
        line = {"parentUuid": parent, "isSidechain": False, "sessionId": session, "type": kind, "uuid": uuid, **members}
        parent = uuid
        return json.dumps(line, ensure_ascii=False) + "\n"

    yield entry("user", message={"role": "user", "content": f"Please look at {rng.choice(WORDS)}."})
    while True:
        tool, arguments, output = rng.choice(TOOLS)
        call, answer = f"toolu_{number:08}", f"msg_{number:08}"
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 20000 + size // 4,
                 "output_tokens": 80}
        common = {"id": answer, "role": "assistant", "model": "claude-opus-4-5", "usage": usage}
        say = [{"type": "text", "text": "Let me look at that more closely."}]
        yield entry("assistant", message={**common, "content": say})
        use = [{"type": "tool_use", "id": call, "name": tool, "input": arguments(rng)}]
        yield entry("assistant", message={**common, "content": use})
        text = output(rng, rng.randrange(20, 400))
        size += len(text)
        result = {"type": "tool_result", "tool_use_id": call, "content": text}
        # The client keeps the output a second time, for itself.
        yield entry("user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": text})
        if compacts and size > 600_000:
            size = 0
            yield entry("system", subtype="compact_boundary", content="Conversation compacted")
            yield entry("user", isCompactSummary=True, message={"role": "user", "content": "So far: " + " ".join(WORDS)})


def write(folder, megabytes, is_single):
    left, number = megabytes * 1_000_000, 0
    while left > 0:
        rng = random.Random(number)
        room = left if is_single else min(left, rng.randrange(200_000, 6_000_000))
        with open(folder / f"session-{number}.jsonl", "w") as log:
            for line in entries(rng, f"s{number}", not is_single):
                room -= len(line.encode())
                left -= len(line.encode())
                log.write(line)
                if room <= 0:
                    break
        number += 1
    return number


def main():
    arguments = sys.argv[1:]
    is_single = "--single" in arguments
    threads = arguments[arguments.index("--threads") + 1] if "--threads" in arguments else None
    plain = [argument for argument in arguments if not argument.startswith("--") and argument != threads]
    program, megabytes = plain[0], int(plain[1]) if len(plain) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        count = write(Path(folder), megabytes, is_single)
        print(f"{megabytes} MB in {count} sessions", flush=True)
        command = [program, "replay", folder, "--rows", "3", *(["--threads", threads] if threads else [])]
        start = time.monotonic()
        subprocess.run(command, check=True)
        seconds = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\n{seconds:.0f} s, {megabytes / seconds:.1f} MB/s, at most {peak:.0f} MB of memory")


main()
