"""Interactions with `google-genai`. Google keeps nothing: every request has all steps so far."""

from . import QUESTION, gemini_interactions


class Agent(gemini_interactions.Agent):
    def __init__(self, gateway):
        super().__init__(gateway)
        self.asked["store"] = False
        self.unsent = [{"type": "user_input", "content": [{"type": "text", "text": QUESTION}]}]

    def heard(self, interaction, steps, seen):
        sent = self.unsent
        turn = super().heard(interaction, steps, seen)
        del self.asked["previous_interaction_id"]
        steps = [step if isinstance(step, dict) else step.model_dump(mode="json") for step in steps]
        self.unsent = [*sent, *steps]
        return turn
