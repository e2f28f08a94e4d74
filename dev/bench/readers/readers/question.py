"""A question, and the file in which a reader finds it."""

from dataclasses import dataclass
from typing import Any

# What a reader gets, by the name of its files: the part of a call that holds the result.
VARIANTS = {"raw": "original", "forge": "forwarded", "small": "small"}


@dataclass
class Question:
    kind: str
    text: str
    answer: Any
    # How an answer is compared: `value`, `text`, `words` (blanks do not matter) or `set`.
    compare: str


@dataclass
class Case:
    """Calls with their results, and questions about the last of them."""

    group: str
    kind: str
    name: str
    calls: list
    questions: list

    def results(self, variant):
        """The calls with their results as a reader sees them."""
        out = []
        for at, call in enumerate(self.calls, 1):
            result = getattr(call, VARIANTS[variant])
            arguments = "".join(f'<argument name="{key}">{value}</argument>\n' for key, value in call.arguments.items())
            out.append(f'\n<call number="{at}" tool="{call.tool}">\n{arguments}</call>\n<result call="{at}">\n{result}\n</result>\n')
        return "".join(out)

    def text(self, variant, number):
        """The calls, and the questions about them."""
        questions = "".join(f"- {number}.{at}: {question.text}\n" for at, question in enumerate(self.questions, 1))
        return f"\n\n# Case {number}\n{self.results(variant)}\nQuestions on case {number}:\n\n{questions}"

    def size(self, variant):
        return len(self.text(variant, 0).encode())


def one_of_each(rng, makers, wanted):
    """So many questions, of different kinds as long as there are some. A maker gives a question or nothing."""
    questions, makers = [], list(makers)
    rng.shuffle(makers)
    for maker in makers * 3:
        question = maker()
        if question and all(question.text != other.text for other in questions):
            questions.append(question)
        if len(questions) == wanted:
            break
    return questions
