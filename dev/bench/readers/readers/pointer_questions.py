"""Questions about lines that a result shows by a pointer to an earlier result."""

from .question import Question, one_of_each
from .reading import lay
from .resolve import namesakes, path_of, source


def context(call, above):
    """The calls that a reader needs, and those on the same files that could mislead him, in their order."""
    needed = set()
    for span in lay(call).spans:
        if span.pointer.is_own:
            continue
        needed |= {id(other) for other in namesakes(span.pointer, above)}
        later = above[position(above, source(span.pointer, above)):]
        needed |= {id(other) for other in later if path_of(other) == span.pointer.name}
    return [other for other in above if id(other) in needed] + [call]


def position(calls, wanted):
    return next(at for at, call in enumerate(calls) if call is wanted)


def questions(calls, rng, wanted=3):
    """Questions about the last of the calls. The others are those above it."""
    *above, call = calls
    reading, number = lay(call), len(calls)
    texts = [line.strip() for line in reading.lines]
    pointed = [at for at in range(len(texts)) if not reading.is_visible(at) and is_askable(texts, at)]
    if not pointed:
        return []
    place = f"the full result of call {number}"
    given = (reading, texts, pointed, place, rng)
    makers = [lambda: after(*given), lambda: begins(*given), lambda: origin(given, calls)]
    if any(reading.numbers):
        makers = [lambda: numbered_text(*given), lambda: numbered_line(*given), lambda: after(*given), lambda: origin(given, calls)]
    return one_of_each(rng, makers, wanted)


def is_askable(texts, at):
    return 8 <= len(texts[at]) <= 200 and texts.count(texts[at]) == 1


def numbered_text(reading, texts, pointed, place, rng):
    at = rng.choice(pointed)
    return Question("line text", f"In {place}, what is the text of line {reading.numbers[at]} of the file, word for word?", texts[at], "text")


def numbered_line(reading, texts, pointed, place, rng):
    at = rng.choice(pointed)
    return Question("line number", f"In {place}, which line number of the file has this text: {texts[at]}", reading.numbers[at], "value")


def after(reading, texts, pointed, place, rng):
    """The edges of pointers are where one can go wrong by a line: half of these questions cross one."""
    pairs = [(at, at + 1) for at in range(len(texts) - 1) if is_askable(texts, at) and len(texts[at + 1]) >= 3]
    inside = [pair for pair in pairs if pair[0] in pointed]
    edges = [pair for pair in pairs if reading.is_visible(pair[0]) != reading.is_visible(pair[1])]
    choices = [group for group in (inside, edges) if group]
    if choices:
        first, second = rng.choice(rng.choice(choices))
        return Question("line after", f"In {place}, write word for word the line that comes right after this line: {texts[first]}", texts[second], "text")


def begins(reading, texts, pointed, place, rng):
    at = rng.choice(pointed)
    start = texts[at][:max(6, len(texts[at]) // 2)]
    if start != texts[at] and sum(text.startswith(start) for text in texts) == 1:
        return Question("line begins", f"In {place}, one line begins as follows (blanks before it aside). Write the whole line, word for word: {start}", texts[at], "text")


def origin(given, calls):
    """Which call above shows the line too? Asked only where it is one."""
    reading, texts, pointed, place, rng = given
    at = rng.choice(pointed)
    holders = [number for number, call in enumerate(calls[:-1], 1) if holds(call, texts[at])]
    own = [str(value) for value in calls[-1].arguments.values()]
    if len(holders) == 1 and len(calls) > 2 and not any(texts[at] in value for value in own):
        return Question("source", f"Apart from call {len(calls)}, which call, by its number, has this line in its result or its arguments: {texts[at]}", holders[0], "value")


def holds(call, text):
    shown = [call.original, *map(str, call.arguments.values())]
    return any(text in value for value in shown)
