"""Interactions with `google-genai`. Google keeps the conversation: what is sent is only what is new."""

import json

from google import genai
from google.genai import types

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn

TOOL = {"type": "function", "name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS}


class Agent:
    def __init__(self, gateway):
        # Kept in a field, because a client closes its connections when its last reference is dropped.
        self.client = genai.Client(api_key="test", http_options=types.HttpOptions(base_url=gateway))
        self.unsent = QUESTION
        self.asked = {"model": "gemini-3-pro-preview", "tools": [TOOL]}

    def ask(self, streams):
        sent = {**self.asked, "input": self.unsent}
        if not streams:
            interaction = self.client.interactions.create(**sent)
            return self.heard(interaction.id, interaction.steps, [repr(interaction)])
        events = list(self.client.interactions.create(stream=True, **sent))
        completed = [event for event in events if event.event_type == "interaction.completed"]
        assert len(completed) == 1 and events[0].event_type == "interaction.created"
        return self.heard(completed[0].interaction.id, joined(events), [repr(event) for event in events])

    def heard(self, interaction, steps, seen):
        """What the model said. The conversation goes on from there."""
        self.asked["previous_interaction_id"] = interaction
        self.unsent = []
        steps = [step if isinstance(step, dict) else step.model_dump() for step in steps]
        contents = [content for step in steps for content in step.get("content") or []]
        text = "".join(content["text"] for content in contents)
        made = [step for step in steps if step["type"] == "function_call"]
        return Turn(text, [Call(step["id"], step["name"], step["arguments"]) for step in made], seen)

    def answer(self, call, output):
        result = {"type": "function_result", "call_id": call.id, "name": call.name, "result": output}
        self.unsent.append(result)


def joined(events):
    """The steps that a stream builds."""
    steps, arguments = [], ""
    for event in events:
        if event.event_type == "step.start":
            assert event.index == len(steps)
            steps.append(event.step.model_dump())
        elif event.event_type == "step.delta":
            assert event.index == len(steps) - 1
            delta, step = event.delta, steps[-1]
            if delta.type == "text":
                if not step.get("content"):
                    step["content"] = [{"type": "text", "text": ""}]
                step["content"][0]["text"] += delta.text
            elif delta.type == "thought_summary":
                step.setdefault("summary", []).append(delta.content.model_dump())
            elif delta.type == "thought_signature":
                step["signature"] = delta.signature
            elif delta.type == "arguments_delta":
                arguments += delta.arguments
        elif event.event_type == "step.stop" and arguments:
            steps[-1]["arguments"], arguments = json.loads(arguments), ""
    return steps
