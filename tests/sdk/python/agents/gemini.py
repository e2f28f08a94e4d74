"""Gemini with `google-genai`, whose chat keeps the history itself."""

from google import genai
from google.genai import types

from . import DESCRIPTION, NAME, PARAMETERS, QUESTION, Call, Turn


class Agent:
    def __init__(self, gateway):
        declared = {"name": NAME, "description": DESCRIPTION, "parameters_json_schema": PARAMETERS}
        # Kept in a field, because a client closes its connections when its last reference is dropped.
        self.client = genai.Client(api_key="test", http_options=types.HttpOptions(base_url=gateway))
        self.chat = self.client.chats.create(
            model="gemini-3-pro-preview",
            config=types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])]),
        )
        self.unsent = [types.Part(text=QUESTION)]

    def ask(self, streams):
        send = self.chat.send_message_stream if streams else lambda parts: [self.chat.send_message(parts)]
        replies = list(send(self.unsent))
        self.unsent = []
        parts = [part for reply in replies for part in reply.candidates[0].content.parts or []]
        text = "".join(part.text for part in parts if part.text and not part.thought)
        made = [part.function_call for part in parts if part.function_call]
        calls = [Call(call.id, call.name, call.args) for call in made]
        return Turn(text, calls, [repr(reply) for reply in replies])

    def answer(self, call, output):
        response = types.FunctionResponse(id=call.id, name=call.name, response={"output": output})
        self.unsent.append(types.Part(function_response=response))
