/** What a tool does, whatever its agent calls it. */

import { utf8Length } from "../../utf8.js";

/** The names of `crates/agents/data`; case, `_` and `-` do not matter. */
export const OWN: Record<string, string> = {
  shell:
    "Bash BashOutput TaskOutput KillShell PowerShell Monitor shell shell_command local_shell exec_command " +
    "write_stdin container.exec exec wait unified_exec run_shell_command bash read_bash write_bash " +
    "run_in_terminal get_terminal_output execute_command run_commands execute_bash cmd_run terminal " +
    "run_terminal_cmd run_command execute sh zsh console command run_terminal_command execute_shell " +
    "run_shell run_bash KillBash stop_bash list_bash run_task create_and_run_task get_task_output " +
    "command_status",
  read:
    "Read NotebookRead ReadMcpResourceTool read_mcp_resource read_file read_many_files view read_notebook " +
    "read_files open goto scroll_up scroll_down view_file view_file_outline view_code_item cat open_file " +
    "get_file file_read get_file_content get_file_contents fs_read list_code_definition_names " +
    "access_mcp_resource filemap",
  write:
    "Write write_file create create_file write_to_file new_file save_file file_write fs_write append_to_file " +
    "append_file",
  edit:
    "Edit MultiEdit NotebookEdit apply_patch replace patch str_replace_editor str_replace insert " +
    "replace_string_in_file multi_replace_string_in_file insert_edit_into_file replace_in_file apply_diff " +
    "insert_content search_and_replace editor edit_file undo_edit file_editor search_replace " +
    "edit_notebook reapply str_replace_based_edit_tool text_editor str_replace_file file_edit update_file " +
    "edit_block edit_files modify_file edit_notebook_file replace_file_content multi_replace_file_content",
  grep:
    "Grep search_file_content grep_search rg semantic_search search_files search_codebase search_dir " +
    "search_file codebase_search ripgrep search_code code_search search_text search_content find_in_files " +
    "grep_files list_code_usages search_workspace_symbols search_in_file",
  glob:
    "Glob find_file file_search glob_file_search find_by_name find_files find_path search_filenames find",
  list:
    "LS list_directory list list_files list_dir list_folder directory_tree tree get_file_tree " +
    "ListMcpResourcesTool list_mcp_resources list_mcp_resource_templates",
  web_fetch:
    "WebFetch web_fetch fetch_web_content fetch_webpage fetch fetch_url read_url open_url visit_page " +
    "browse visit_webpage read_url_content web_read",
  web_search: "WebSearch web_search web__run google_web_search search_web google_search internet_search",
  agent:
    "Task Agent SendMessage invoke_agent delegate_to_agent spawn_agent wait_agent read_agent write_agent " +
    "run_subagent new_task use_subagents subagent dispatch_agent delegate send_input resume_agent " +
    "close_agent",
  todo:
    "TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet update_plan create_goal update_goal " +
    "get_goal write_todos manage_todo_list update_todo_list todo plan think update_todo task_tracker",
  // Tools that only pass a call on: the tool meant is named in the arguments.
  router: "use_mcp_tool tool_call execute_tool call_tool invoke_tool use_tool",
};
/** Names that count only in tools of MCP servers, and there win over the others. */
export const MCP: Record<string, string> = {
  shell: "start_process read_process_output interact_with_process",
  read: "read_text_file read_multiple_files read_media_file get_file_contents read_resource get_text_file_contents",
  write: "create_or_update_file append_text_file_contents create_text_file",
  edit: "edit_text_file_contents patch_text_file_contents insert_text_file_contents",
  glob: "search_files",
  list: "list_directory_with_sizes list_allowed_directories",
};
const CATEGORIES = new Map(
  Object.entries({ read: "read", edit: "edit", write: "write", bash: "shell", glob: "glob", grep: "grep" }),
);
const LONGEST_NAME = 256;

const OWN_NAMES = byName(OWN);
const MCP_NAMES = byName(MCP);

function byName(tools: Record<string, string>): Map<string, string> {
  const names = Object.entries(tools).flatMap(([tool, names]) => names.split(" ").map((name) => [name, tool] as const));
  return new Map(names.map(([name, tool]) => [squashed(name), tool]));
}

function squashed(name: string): string {
  return name.replace(/[_-]/g, "").replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The tool that an agent means by a name; `other` if it is none of those above. */
export function canonical(name: string): string {
  if (utf8Length(name) > LONGEST_NAME) return "other";
  const mcp = /^mcp__?(.*)$/s.exec(name)?.[1];
  if (mcp !== undefined) return mcpTool(mcp) ?? "other";
  const last = name.split(/[./]/).at(-1) ?? name;
  return own(name) ?? own(last) ?? prefixed(last) ?? "other";
}

function own(name: string): string | undefined {
  return OWN_NAMES.get(squashed(name));
}

/** One word of a foreign server may mean anything (`list`, `open`); two say what is meant. */
function foreign(name: string): string | undefined {
  return MCP_NAMES.get(squashed(name)) ?? CATEGORIES.get(name) ?? (hasTwoWords(name) ? own(name) : undefined);
}

function mcpTool(serverAndTool: string): string | undefined {
  const mark = serverAndTool.lastIndexOf("__");
  if (mark >= 0) return foreign(serverAndTool.slice(mark + 2));
  // Where the server's name ends is not marked, and it may hold an underscore itself.
  const words = serverAndTool.split("_");
  for (const at of [1, 2]) {
    const known = at < words.length ? foreign(words.slice(at).join("_")) : undefined;
    if (known !== undefined) return known;
  }
  return undefined;
}

/** `server_tool` and `server__tool` look like any other name: only what is known counts. */
function prefixed(name: string): string | undefined {
  const mark = name.lastIndexOf("__");
  if (mark >= 0) return foreign(name.slice(mark + 2)) ?? own(name.slice(mark + 2));
  const tool = /^[^_]*_(.*)$/s.exec(name)?.[1];
  return tool !== undefined && hasTwoWords(tool) ? foreign(tool) : undefined;
}

function hasTwoWords(name: string): boolean {
  return /[_A-Z-]/.test(name.slice(1));
}
