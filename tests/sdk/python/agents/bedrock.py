"""Bedrock Converse with `boto3` and a bearer token.

boto3 shows bearer tokens only to HTTPS endpoints, so it speaks TLS to the gateway.
"""

import json
import os

import boto3
from botocore.config import Config

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn


class Agent:
    def __init__(self, gateway):
        self.client = self.connect(gateway)
        self.messages = [{"role": "user", "content": [{"text": QUESTION}]}]

    def connect(self, gateway):
        return boto3.client(
            "bedrock-runtime",
            region_name="us-east-1",
            endpoint_url=gateway.replace("http:", "https:"),
            verify=os.environ["GATEWAY_CERTIFICATE"],
            config=Config(retries={"total_max_attempts": 1}),
        )

    def ask(self, streams):
        tool = {"name": NAME, "description": DESCRIPTION, "inputSchema": {"json": PARAMETERS}}
        asked = {
            "modelId": "anthropic.claude-sonnet-4-5-20250929-v1:0",
            "messages": self.messages,
            "toolConfig": {"tools": [{"toolSpec": tool}]},
        }
        if streams:
            seen = list(self.client.converse_stream(**asked)["stream"])
            content = assembled(seen)
        else:
            seen = [self.client.converse(**asked)]
            content = seen[0]["output"]["message"]["content"]
        self.messages.append({"role": "assistant", "content": content})
        text = "".join(block.get("text", "") for block in content)
        made = [block["toolUse"] for block in content if "toolUse" in block]
        calls = [Call(call["toolUseId"], call["name"], call["input"]) for call in made]
        return Turn(text, calls, [repr(part) for part in seen])

    def answer(self, call, output):
        result = {"toolUseId": call.id, "content": [{"text": output}]}
        if self.messages[-1]["role"] != "user":
            self.messages.append({"role": "user", "content": []})
        self.messages[-1]["content"].append({"toolResult": result})


def assembled(events):
    """The content of a message; boto3 leaves it to the program to make it of events."""
    blocks = {}
    for event in events:
        if start := event.get("contentBlockStart"):
            call = start["start"]["toolUse"]
            blocks[start["contentBlockIndex"]] = {"toolUse": {**call, "input": ""}}
        elif change := event.get("contentBlockDelta"):
            extend(blocks.setdefault(change["contentBlockIndex"], {}), change["delta"])
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"])
    return [blocks[index] for index in sorted(blocks)]


def extend(block, delta):
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif "toolUse" in delta:
        block["toolUse"]["input"] += delta["toolUse"]["input"]
    elif "reasoningContent" in delta:
        thought = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {})
        for name, piece in delta["reasoningContent"].items():
            thought[name] = thought.get(name, "") + piece
