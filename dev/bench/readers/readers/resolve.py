"""What pointers lead to.

Nothing here asks the engine. A pointer is read as a stranger would read it, from the texts above it, and compared with the
lines of the original that it replaced.
"""

from .pointers import DUPLICATE, Unreadable
from .reading import bare, lay, number

COMMAND_LENGTH = 80


def name_of(call):
    """What a reader would call a result: its file or its command."""
    for key in ("file_path", "path", "command"):
        if isinstance(call.arguments.get(key), str):
            return cut(call.arguments[key])
    first = next((value for value in call.arguments.values() if isinstance(value, str)), "")
    return f'{call.tool} "{cut(first)}"'


def cut(text):
    first = text.strip().split("\n")[0].rstrip()
    is_whole = len(first) <= COMMAND_LENGTH and first == text.strip()
    return first if is_whole or "/" == first[:1] and " " not in first else first[:COMMAND_LENGTH].rstrip() + "…"


def is_excerpt(call):
    """Was a part of a file asked for?"""
    return is_read(call) and any(type(value) is int for value in call.arguments.values())


def is_read(call):
    return call.tool.lower() in ("read", "read_file", "view")


def namesakes(pointer, above):
    """The calls above that a pointer's name fits, in their order."""
    def is_one(call):
        return is_read(call) or "command" in call.arguments or call.tool in pointer.name
    return [call for call in above if name_of(call) == pointer.name and is_one(call)]


def source(pointer, above):
    """The call that a pointer means."""
    found = namesakes(pointer, above)
    if pointer.run:
        if len(found) != pointer.run[1]:
            raise Unreadable(f"{pointer.name} ran {len(found)} times, not {pointer.run[1]}")
        return found[pointer.run[0] - 1]
    found = [call for call in found if not is_excerpt(call) and not DUPLICATE.fullmatch(call.forwarded)]
    if not found:
        raise Unreadable(f"nothing above is called {pointer.name}")
    return found[-1]


def pointed(pointer, call, above):
    """The lines that a pointer leads to, read from what is shown above it."""
    if pointer.is_own:
        return quoted(pointer, str(call.arguments[pointer.name]).split("\n"))
    origin = source(pointer, above)
    reading = lay(origin)
    if pointer.count is None:
        return reading.lines
    visible = [line if reading.is_visible(at) else None for at, line in enumerate(reading.lines)]
    if not pointer.numbers:
        return quoted(pointer, visible)
    start = reading.numbers.index(pointer.numbers[0])
    found = visible[start:start + pointer.count]
    if None in found or reading.numbers[start + pointer.count - 1] != pointer.numbers[1]:
        raise Unreadable(f"lines {pointer.numbers} of {pointer.name} are not all shown")
    return found


def quoted(pointer, lines):
    starts = [at for at, line in enumerate(lines) if line is not None and fits(line, pointer.quotes[0])]
    ends = [at for at, line in enumerate(lines) if line is not None and fits(line, pointer.quotes[1])]
    if len(starts) != 1 or len(ends) != 1:
        raise Unreadable(f"{len(starts)} lines fit the first quote and {len(ends)} the last one: {pointer}")
    if ends[0] - starts[0] + 1 != pointer.count:
        raise Unreadable(f"{ends[0] - starts[0] + 1} lines lie between the quotes: {pointer}")
    return lines[starts[0]:ends[0] + 1]


def fits(line, quote):
    line = line.strip()
    return line.startswith(quote[:-1]) if quote.endswith("…") else line == quote


def check(call, above):
    """What is wrong with the pointers of a result: nothing, it should be."""
    try:
        reading = lay(call)
    except Unreadable as problem:
        return [str(problem)]
    problems = []
    for span in reading.spans:
        try:
            expected = [line.rstrip() for line in reading.lines[span.start:span.start + span.count]]
            if [line.rstrip() for line in pointed(span.pointer, call, above)] != expected:
                problems.append(f"leads to other lines: {span.pointer}")
            here = span.pointer.here or span.pointer.numbers
            if here and (reading.numbers[span.start], reading.numbers[span.start + span.count - 1]) != here:
                problems.append(f"stands for other numbers: {span.pointer}")
            problems.extend(rivals(span.pointer, above))
        except (Unreadable, ValueError, IndexError) as problem:
            problems.append(str(problem))
    return problems


def rivals(pointer, above):
    """Later results that show other text under the numbers of a pointer: a reader may well look there."""
    if not pointer.numbers:
        return
    origin = source(pointer, above)
    meant = texts(origin)
    for call in above[next(at for at, call in enumerate(above) if call is origin) + 1:]:
        if path_of(call) == pointer.name:
            shown = texts(call)
            other = [at for at in range(pointer.numbers[0], pointer.numbers[1] + 1) if at in shown and shown[at] != meant[at]]
            if other:
                yield f"a later {call.tool} shows other text at {len(other)} of the lines {pointer.numbers} of {pointer.name}"


def texts(call):
    """The lines of a result by their numbers."""
    return {number(line): bare(line) for line in call.original.split("\n") if number(line)}


def path_of(call):
    return call.arguments.get("file_path", call.arguments.get("path"))
