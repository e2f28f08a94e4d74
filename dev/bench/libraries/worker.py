"""Runs in the environment of one library: compresses every output of a file, each as a conversation of its own, and then
gets the original back with whatever the library has for that.

    python worker.py LIBRARY MODE < outputs.jsonl > results.jsonl
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
from typing import Any, Callable, Iterator, NamedTuple, Optional


class Made(NamedTuple):
    """What the model would be shown, and a function that gets the original back."""

    shown: str
    back: Callable[[], Optional[str]]


def conversation(output: dict[str, str]) -> list[Any]:
    function = {"name": output["tool"], "arguments": output["arguments"]}
    return [
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "call_1", "content": output["text"]},
    ]


def result_in(messages: list[Any]) -> str:
    [result] = [message for message in messages if message["role"] == "tool"]
    content = result["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def tokenforge(mode: str) -> Callable[[dict[str, str]], Made]:
    from tokenforge_engine import Compressor, TokenforgeError, decode

    compressor = Compressor({"pipes": {"tool_output": {"mode": mode}}, "store": {"max_bytes": 1 << 30}})

    def compress(output: dict[str, str]) -> Made:
        made = compressor.compress(conversation(output), model="gpt-5", caller_fetches=True)
        shown = result_in(made.request["messages"])

        def back() -> Optional[str]:
            reference = made.results[0].reference
            if reference is not None:
                return compressor.expand(reference)
            try:
                return decode(shown)
            except TokenforgeError:  # it is in no notation: what is shown is all that there is
                return shown

        return Made(shown, back)

    return compress


def headroom(mode: str) -> Callable[[dict[str, str]], Made]:
    import headroom
    from headroom.cache.compression_store import get_compression_store
    from headroom.ccr.marker_resolution import resolve_markers_in_text
    from headroom.compress import densify
    from headroom.transforms.compaction_codec import expand_compacted

    call = {"compress": headroom.compress, "densify": densify}[mode]

    def compress(output: dict[str, str]) -> Made:
        # By default the last four messages are left alone, which would be all of this conversation.
        made = call(conversation(output), model="gpt-4o", protect_recent=0)
        shown = result_in(made.messages)

        def back() -> Optional[str]:
            for key in re.findall(r"[0-9a-f]{12,24}", shown):
                entry = get_compression_store().retrieve(key)
                if entry is not None and entry.original_content == output["text"]:
                    return output["text"]
            resolved = resolve_markers_in_text(shown)
            if resolved != shown:
                return resolved
            rows = expand_compacted(shown)
            return shown if rows is None else json.dumps(rows, ensure_ascii=False)

        return Made(shown, back)

    return compress


def distil(mode: str) -> Callable[[dict[str, str]], Made]:
    from distil import compress_messages, expand_handle

    def compress(output: dict[str, str]) -> Made:
        made = compress_messages(conversation(output), verbatim=mode == "verbatim")
        shown = result_in(made.messages)

        def back() -> Optional[str]:
            texts = [expand_handle(handle) for handle in made.handles]
            return next((text for text in texts if text == output["text"]), next(iter(texts), shown))

        return Made(shown, back)

    return compress


def llmtrim(mode: str) -> Callable[[dict[str, str]], Made]:
    import llmtrim

    preset = None if mode == "default" else mode

    def compress(output: dict[str, str]) -> Made:
        request = json.dumps({"model": "gpt-4o", "messages": conversation(output)})
        made = llmtrim.compress(request, llmtrim.Provider.OPEN_AI, preset)
        shown = result_in(json.loads(made.request_json)["messages"])
        return Made(shown, lambda: shown)  # the package has no function that gives an original back

    return compress


LIBRARIES = {"tokenforge": tokenforge, "headroom": headroom, "distil": distil, "llmtrim": llmtrim}


def cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def results(library: str, mode: str, outputs: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    began = cpu()
    compress = LIBRARIES[library](mode)
    compress(outputs[0])  # whatever is loaded at the first call
    yield {"first": cpu() - began}
    for output in outputs:
        began = cpu()
        try:
            made = compress(output)
        except Exception as error:  # what a library raises is a result
            yield {"error": f"{type(error).__name__}: {error}"[:300], "cpu": cpu() - began}
            continue
        taken = cpu() - began
        yield {"shown": made.shown, "back": made.back(), "cpu": taken}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no result
    outputs = [json.loads(line) for line in sys.stdin]
    for result in results(sys.argv[1], sys.argv[2], outputs):
        print(json.dumps(result), file=answers)


if __name__ == "__main__":
    main()
