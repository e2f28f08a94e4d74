"""What a probe found, compared with the table of docs/clients.md."""

import json
import os
from pathlib import Path

RELIED_ON = ["address", "session", "hook", "mcp wrap"]


def main():
    found = json.loads(Path(os.environ["FOUND"]).read_text())["findings"]
    probes = [finding["probe"] for finding in found if "probe" in finding]
    agents = list(dict.fromkeys(probe["agent"] for probe in probes))
    page = Path(os.environ["PAGE"]).read_text()
    wrong = [row for row in (row_of([probe for probe in probes if probe["agent"] == agent]) for agent in agents) if row not in page]
    said = "\n".join(f"{probe['agent']}, {probe['relied_on']}: {probe['honoured']} ({probe['why']})" for probe in probes)
    print(said)
    assert agents and not wrong, "not in docs/clients.md:\n" + "\n".join(wrong)
    left = [str(path) for path in Path(os.environ["LEFT"]).iterdir()]
    assert not left, left


def row_of(probes):
    """The row of an agent, as the page has it."""
    honoured = {probe["relied_on"]: probe["honoured"] for probe in probes}
    cells = [honoured.get(relied_on, "-") for relied_on in RELIED_ON]
    return f"| `{probes[0]['agent']}` | {probes[0]['version']} | {' | '.join(cells)} |\n"


if __name__ == "__main__":
    main()
