"""A question, and the file in which a reader finds it."""

from dataclasses import dataclass
from typing import Any


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

    def text(self, variant, number):
        """The calls as a reader sees them."""
        out = [f"\n\n# Case {number}\n"]
        for at, call in enumerate(self.calls, 1):
            result = call.forwarded if variant == "forge" else call.original
            arguments = "".join(f'<argument name="{key}">{value}</argument>\n' for key, value in call.arguments.items())
            out.append(f'\n<call number="{at}" tool="{call.tool}">\n{arguments}</call>\n<result call="{at}">\n{result}\n</result>\n')
        out.append(f"\nQuestions on case {number}:\n\n")
        out.extend(f"- {number}.{at}: {question.text}\n" for at, question in enumerate(self.questions, 1))
        return "".join(out)

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
