"""Ollama's own chat with `ollama`."""

import ollama

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn

FUNCTION = {"name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS}


class Agent:
    def __init__(self, gateway):
        self.client = ollama.Client(host=gateway)
        self.messages = [{"role": "user", "content": QUESTION}]

    def ask(self, streams):
        tools = [{"type": "function", "function": FUNCTION}]
        seen = self.client.chat(model="qwen3", messages=self.messages, tools=tools, stream=streams)
        seen = list(seen) if streams else [seen]
        text = "".join(part.message.content or "" for part in seen)
        made = [call for part in seen for call in part.message.tool_calls or []]
        self.messages.append({"role": "assistant", "content": text, "tool_calls": made})
        calls = [Call("", call.function.name, dict(call.function.arguments)) for call in made]
        return Turn(text, calls, [repr(part) for part in seen])

    def answer(self, call, output):
        self.messages.append({"role": "tool", "tool_name": call.name, "content": output})
