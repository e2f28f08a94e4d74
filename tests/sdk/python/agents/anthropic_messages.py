"""Messages with `anthropic`, thinking."""

from anthropic import Anthropic

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn


class Agent:
    def __init__(self, gateway):
        self.client = Anthropic(base_url=gateway, api_key="test", max_retries=0)
        self.messages = [{"role": "user", "content": QUESTION}]

    def ask(self, streams):
        asked = {
            "model": "claude-opus-4-5",
            "max_tokens": 4096,
            "thinking": {"type": "enabled", "budget_tokens": 2048},
            "tools": [{"name": NAME, "description": DESCRIPTION, "input_schema": PARAMETERS}],
            "messages": self.messages,
        }
        seen = []
        if streams:
            with self.client.messages.stream(**asked) as stream:
                seen = list(stream)
                message = stream.get_final_message()
            text = "".join(event.text for event in seen if event.type == "text")
        else:
            message = self.client.messages.create(**asked)
            text = said(message)
        assert text == said(message)
        self.messages.append({"role": "assistant", "content": message.content})
        calls = [Call(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
        return Turn(text, calls, [repr(part) for part in [*seen, message]])

    def answer(self, call, output):
        result = {"type": "tool_result", "tool_use_id": call.id, "content": output}
        if self.messages[-1]["role"] != "user":
            self.messages.append({"role": "user", "content": []})
        self.messages[-1]["content"].append(result)


def said(message):
    return "".join(block.text for block in message.content if block.type == "text")
