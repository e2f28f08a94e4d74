"""Question files, the key to them, and the list of what was drawn."""

import hashlib
import json
from pathlib import Path

from .draw import LARGEST
from .question import VARIANTS

PREAMBLE = """\
An assistant called tools. Below are some of these calls with their results, in cases that have nothing to do with each other.
A result may be written in a shorter form than the tool gave it. The questions always mean the result as the tool gave it.

Answer from this file alone, by reading: no programs, no other files. Write one JSON object with an entry for each question, such as
{"3.1": "the answer", "3.2": 17}. Where a line is asked for, give the line alone; blanks at its beginning and end do not matter, all others do.
If the file does not tell the answer, write "?".
"""


def pack(cases):
    """Cases into files, none too large, in the order in which they come."""
    files = []
    for case in cases:
        sizes = {variant: case.size(variant) for variant in LARGEST}
        for file in files:
            if all(file["sizes"][variant] + sizes[variant] <= LARGEST[variant] for variant in LARGEST):
                break
        else:
            file = {"cases": [], "sizes": dict.fromkeys(LARGEST, 0)}
            files.append(file)
        file["cases"].append(case)
        for variant, size in sizes.items():
            file["sizes"][variant] += size
    return [file["cases"] for file in files]


def write(cases, seed, version, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for variant in VARIANTS:
        for old in folder.glob(f"{variant}.*.md"):
            old.unlink()
    key, asked, drawn, number = {}, [], [], 0
    for at, file in enumerate(pack(cases)):
        texts = dict.fromkeys(VARIANTS, PREAMBLE)
        for case in file:
            number += 1
            for variant in texts:
                texts[variant] += case.text(variant, number)
            for place, question in enumerate(case.questions, 1):
                key[f"{number}.{place}"] = {"file": at, "group": case.group, "case": case.kind, **vars(question)}
            asked.append({"case": number, "file": at, "results": {variant: case.results(variant) for variant in VARIANTS},
                          "questions": {f"{number}.{place}": question.text for place, question in enumerate(case.questions, 1)}})
            drawn.append({"case": number, "file": at, "group": case.group, "kind": case.kind, "name": case.name, "questions": len(case.questions),
                          "original": digest(case, "original"), "forwarded": digest(case, "forwarded"), "small": digest(case, "small")})
        for variant, text in texts.items():
            (folder / f"{variant}.{at}.md").write_text(text)
    save(folder / "key.json", key)
    save(folder / "asked.json", asked)
    save(folder / "drawn.json", {"seed": seed, "version": version, "cases": drawn})
    return key, drawn


def digest(case, part):
    """A hash of the results, so that others can tell whether they have the same."""
    texts = [getattr(call, part) for call in case.calls]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def save(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
