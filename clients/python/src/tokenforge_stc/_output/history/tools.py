"""What a tool does, whatever its agent calls it."""

from __future__ import annotations

# The names of `crates/agents/data`; case, `_` and `-` do not matter.
OWN = {
    "shell": "Bash BashOutput TaskOutput KillShell PowerShell Monitor shell shell_command local_shell exec_command "
    "write_stdin container.exec exec wait unified_exec run_shell_command bash read_bash write_bash "
    "run_in_terminal get_terminal_output execute_command run_commands execute_bash cmd_run terminal "
    "run_terminal_cmd run_command execute sh zsh console command run_terminal_command execute_shell run_shell "
    "run_bash KillBash stop_bash list_bash run_task create_and_run_task get_task_output command_status",
    "read": "Read NotebookRead ReadMcpResourceTool read_mcp_resource read_file read_many_files view read_notebook "
    "read_files open goto scroll_up scroll_down view_file view_file_outline view_code_item cat open_file "
    "get_file file_read get_file_content get_file_contents fs_read list_code_definition_names "
    "access_mcp_resource filemap",
    "write": "Write write_file create create_file write_to_file new_file save_file file_write fs_write append_to_file append_file",
    "edit": "Edit MultiEdit NotebookEdit apply_patch replace patch str_replace_editor str_replace insert "
    "replace_string_in_file multi_replace_string_in_file insert_edit_into_file replace_in_file apply_diff "
    "insert_content search_and_replace editor edit_file undo_edit file_editor search_replace edit_notebook "
    "reapply str_replace_based_edit_tool text_editor str_replace_file file_edit update_file edit_block "
    "edit_files modify_file edit_notebook_file replace_file_content multi_replace_file_content",
    "grep": "Grep search_file_content grep_search rg semantic_search search_files search_codebase search_dir "
    "search_file codebase_search ripgrep search_code code_search search_text search_content find_in_files "
    "grep_files list_code_usages search_workspace_symbols search_in_file",
    "glob": "Glob find_file file_search glob_file_search find_by_name find_files find_path search_filenames find",
    "list": "LS list_directory list list_files list_dir list_folder directory_tree tree get_file_tree "
    "ListMcpResourcesTool list_mcp_resources list_mcp_resource_templates",
    "web_fetch": "WebFetch web_fetch fetch_web_content fetch_webpage fetch fetch_url read_url open_url visit_page browse "
    "visit_webpage read_url_content web_read",
    "web_search": "WebSearch web_search web__run google_web_search search_web google_search internet_search",
    "agent": "Task Agent SendMessage invoke_agent delegate_to_agent spawn_agent wait_agent read_agent write_agent "
    "run_subagent new_task use_subagents subagent dispatch_agent delegate send_input resume_agent close_agent",
    "todo": "TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet update_plan create_goal update_goal get_goal "
    "write_todos manage_todo_list update_todo_list todo plan think update_todo task_tracker",
    # Tools that only pass a call on: the tool meant is named in the arguments.
    "router": "use_mcp_tool tool_call execute_tool call_tool invoke_tool use_tool",
}
# Names that count only in tools of MCP servers, and there win over the others.
MCP = {
    "shell": "start_process read_process_output interact_with_process",
    "read": "read_text_file read_multiple_files read_media_file get_file_contents read_resource get_text_file_contents",
    "write": "create_or_update_file append_text_file_contents create_text_file",
    "edit": "edit_text_file_contents patch_text_file_contents insert_text_file_contents",
    "glob": "search_files",
    "list": "list_directory_with_sizes list_allowed_directories",
}
_CATEGORIES = {"read": "read", "edit": "edit", "write": "write", "bash": "shell", "glob": "glob", "grep": "grep"}
_LONGEST_NAME = 256


def _squashed(name: str) -> str:
    return "".join(chr(ord(c) | 32) if "A" <= c <= "Z" else c for c in name if c not in "_-")


def _by_name(tools: dict[str, str]) -> dict[str, str]:
    return {_squashed(name): tool for tool, names in tools.items() for name in names.split()}


_OWN_NAMES, _MCP_NAMES = _by_name(OWN), _by_name(MCP)


def canonical(name: str) -> str:
    """The tool that an agent means by a name; ``other`` if it is none of those above."""
    if len(name.encode()) > _LONGEST_NAME:
        return "other"
    for mark in ("mcp__", "mcp_"):
        if name.startswith(mark):
            return _mcp_tool(name[len(mark) :]) or "other"
    last = name.replace("/", ".").split(".")[-1]
    return _own(name) or _own(last) or _prefixed(last) or "other"


def _own(name: str) -> str | None:
    return _OWN_NAMES.get(_squashed(name))


def _foreign(name: str) -> str | None:
    """One word of a foreign server may mean anything (``list``, ``open``); two say what is meant."""
    known = _MCP_NAMES.get(_squashed(name)) or _CATEGORIES.get(name)
    return known or (_own(name) if _has_two_words(name) else None)


def _mcp_tool(server_and_tool: str) -> str | None:
    server, mark, tool = server_and_tool.rpartition("__")
    if mark:
        return _foreign(tool)
    # Where the server's name ends is not marked, and it may hold an underscore itself.
    words = server_and_tool.split("_")
    behind = ["_".join(words[at:]) for at in (1, 2) if at < len(words)]
    return next((known for name in behind if (known := _foreign(name))), None)


def _prefixed(name: str) -> str | None:
    """``server_tool`` and ``server__tool`` look like any other name: only what is known counts."""
    _, mark, tool = name.rpartition("__")
    if mark:
        return _foreign(tool) or _own(tool)
    _, mark, tool = name.partition("_")
    return _foreign(tool) if mark and _has_two_words(tool) else None


def _has_two_words(name: str) -> bool:
    return any(c in "_-" or "A" <= c <= "Z" for c in name[1:])
