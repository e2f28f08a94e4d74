"""An agent for each SDK: it asks the model, and tells it what its tool calls gave.

An agent has `ask(streams)`, which sends the conversation so far and returns the model's `Turn`, and `answer(call, output)`.
"""

from dataclasses import dataclass

QUESTION = "Do the tests pass?"
NAME = "Bash"
DESCRIPTION = "Runs a command"
PARAMETERS = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
    "additionalProperties": False,
}


@dataclass
class Call:
    """A call of a tool, as the SDK gave it."""

    id: str
    name: str
    arguments: dict


@dataclass
class Turn:
    """What the model said, and everything in which it said it: events, and the message that the SDK made of them."""

    text: str
    calls: list[Call]
    seen: list[str]
