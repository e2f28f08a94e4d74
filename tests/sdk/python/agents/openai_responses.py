"""Responses with `openai`."""

import json

from openai import OpenAI

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn

TOOL = {"type": "function", "name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}


class Agent:
    def __init__(self, gateway):
        self.client = OpenAI(base_url=f"{gateway}/v1", api_key="test", max_retries=0)
        self.input = [{"role": "user", "content": QUESTION}]

    def ask(self, streams):
        asked = {"model": "gpt-5", "input": self.input, "tools": [TOOL], "store": False}
        asked["include"] = ["reasoning.encrypted_content"]
        seen = []
        if streams:
            with self.client.responses.stream(**asked) as stream:
                seen = list(stream)
                response = stream.get_final_response()
            text = "".join(event.delta for event in seen if event.type == "response.output_text.delta")
        else:
            response = self.client.responses.create(**asked)
            text = response.output_text
        assert text == response.output_text
        self.input += [item.to_dict() for item in response.output]
        items = [item for item in response.output if item.type == "function_call"]
        calls = [Call(item.call_id, item.name, json.loads(item.arguments)) for item in items]
        return Turn(text, calls, [repr(part) for part in [*seen, response]])

    def answer(self, call, output):
        self.input.append({"type": "function_call_output", "call_id": call.id, "output": output})
