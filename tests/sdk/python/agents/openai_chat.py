"""Chat Completions with `openai`."""

import json

from openai import OpenAI

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn

FUNCTION = {"name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}


class Agent:
    def __init__(self, gateway):
        self.client = OpenAI(base_url=f"{gateway}/v1", api_key="test", max_retries=0)
        self.messages = [{"role": "user", "content": QUESTION}]

    def ask(self, streams):
        asked = {"model": "gpt-5", "messages": self.messages, "tools": [{"type": "function", "function": FUNCTION}]}
        seen = []
        if streams:
            with self.client.chat.completions.stream(**asked) as stream:
                seen = list(stream)
                completion = stream.get_final_completion()
            text = "".join(event.delta for event in seen if event.type == "content.delta")
        else:
            completion = self.client.chat.completions.create(**asked)
            text = completion.choices[0].message.content or ""
        message = completion.choices[0].message
        assert text == (message.content or "")
        self.messages.append(message.to_dict())
        calls = [Call(c.id, c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or []]
        return Turn(text, calls, [repr(part) for part in [*seen, completion]])

    def answer(self, call, output):
        self.messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
