"""The names of tools, by which pointers name results, are those that Tokenforge knows."""

from __future__ import annotations

import re
from pathlib import Path

from tokenforge_stc._output.history import arguments, name
from tokenforge_stc._output.history.tools import MCP, OWN, canonical

DATA = Path(__file__).parents[3] / "crates" / "agents" / "data"


def test_every_name_in_the_data_files_is_known_and_no_other() -> None:
    own: dict[str, set[str]] = {}
    mcp: dict[str, set[str]] = {}
    for file in DATA.glob("*.toml"):
        section = ""
        for line in file.read_text(encoding="utf-8").split("\n"):
            if heading := re.fullmatch(r"\[+([\w.]+)\]+", line):
                section = heading[1]
            elif section in ("tools", "mcp_tools") and (entry := re.fullmatch(r"(\w+) = \[(.*)\]", line)):
                names = own if section == "tools" else mcp
                names.setdefault(entry[1], set()).update(re.findall(r'"([^"]+)"', entry[2]))
    assert {tool: set(names.split()) for tool, names in OWN.items()} == own
    assert {tool: set(names.split()) for tool, names in MCP.items()} == mcp


def test_tools_are_known_by_what_they_do() -> None:
    cases = {
        "shell": "Bash exec_command container.exec functions.exec developer__shell mcp__sh__execute_command",
        "read": "Read readFile read-file view mcp__filesystem__read_text_file mcp_my_files_read_file filesystem_read_text_file",
        "edit": "MultiEdit str_replace_editor mcp__fs__edit",
        "glob": "mcp__filesystem__search_files",
        "other": "mcp__linear__list mcp__browser__open diff_both get_reservation_details rows " + "x" * 300,
    }
    for does, names in cases.items():
        assert [canonical(each) for each in names.split()] == [does] * len(names.split())


def test_d1_a_result_is_named_by_the_file_the_command_or_the_tool() -> None:
    cases = [
        ("Read", '{"file_path":"/a/b.rs"}', "/a/b.rs"),
        ("view", '{"command":"view","path":"b.rs"}', "b.rs"),
        ("str_replace_editor", '{"command":"view","path":"b.rs"}', "b.rs"),
        ("Bash", '{"description":"run","command":"cargo test"}', "cargo test"),
        ("shell", '{"command":["bash","-lc","cargo test"]}', "cargo test"),
        ("exec", 'text(await tools.exec_command({cmd: "cargo test"}))', "cargo test"),
        ("execute-tool", '{"tool_name":"execute_command","params":{"command":"ls"}}', "ls"),
        ("Bash", '{"command":"python3 - <<\'E\'\\nprint(1)\\nE"}', "python3 - <<'E'…"),
        ("get_user", '{"page":2,"zone":"eu","id":"x"}', 'get_user "eu"'),
        ("list_all", "{}", "list_all"),
        ("list_all", "", "list_all"),
    ]
    for tool, asked, expected in cases:
        found = name.of_call(tool, asked)
        assert found and found.text == expected, (tool, asked)


def test_d1_what_cannot_be_named_without_doubt_has_no_name() -> None:
    for tool, asked in [
        ("Read", '{"file_path":"a","offset":20,"limit":10}'),
        ("view", '{"command":"view","path":"a","view_range":[1,20]}'),
        ("read_file", '{"path":"a","lines":"10-20"}'),
        ("Read", '{"file_path":"a\\nb"}'),
        ("Read", '{"file_path":"as seen above"}'),
        ("Read", "{}"),
        ("Edit", '{"file_path":"a"}'),
    ]:
        assert name.of_call(tool, asked) is None, (tool, asked)


def test_arguments_without_a_command_have_none() -> None:
    for asked in ["", "{}", "[]", '{"command":1}', '{"command":" "}', '{"path":"x"}', "[1]", "[" * 100_000]:
        assert arguments.command_line(asked) in (None, "[" * 100_000), asked
