"""One question in one message, for models that do not answer a whole file of them."""

BEGINNING = "An assistant called tools. A result may be written in a shorter form than the tool gave it.\n"
END = "Answer with the value or the line that is asked for and nothing else. If it cannot be told, answer ?"


def before(results):
    """What all questions about the same results begin with, so that a server can cache it."""
    return f"{BEGINNING}{results}\n"


def question(text):
    return f"Question, about the result as the tool gave it: {text}\n{END}"
