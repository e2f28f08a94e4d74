/** The names of tools, by which pointers name results, are those that Tokenforge knows. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { commandLine } from "../src/output/history/arguments.js";
import { ofCall } from "../src/output/history/name.js";
import { canonical, MCP, OWN } from "../src/output/history/tools.js";

const DATA = new URL("../../../../crates/agents/data/", import.meta.url);

test("every name in the data files is known, and no other", () => {
  const own: Record<string, string[]> = {};
  const mcp: Record<string, string[]> = {};
  for (const file of readdirSync(DATA).filter((name) => name.endsWith(".toml"))) {
    let section = "";
    for (const line of readFileSync(new URL(file, DATA), "utf8").split("\n")) {
      section = /^\[+([\w.]+)\]+$/.exec(line)?.[1] ?? section;
      const [, tool, names = ""] = /^(\w+) = \[(.*)\]$/.exec(line) ?? [];
      if (tool === undefined || !["tools", "mcp_tools"].includes(section)) continue;
      const found = section === "tools" ? own : mcp;
      found[tool] = [...(found[tool] ?? []), ...[...names.matchAll(/"([^"]+)"/g)].map((name) => name[1]!)];
    }
  }
  assert.deepEqual(sets(OWN), setsOf(own));
  assert.deepEqual(sets(MCP), setsOf(mcp));
});

test("tools are known by what they do", () => {
  const cases = {
    shell: "Bash exec_command container.exec functions.exec developer__shell mcp__sh__execute_command",
    read: "Read readFile read-file view mcp__filesystem__read_text_file mcp_my_files_read_file filesystem_read_text_file",
    edit: "MultiEdit str_replace_editor mcp__fs__edit",
    glob: "mcp__filesystem__search_files",
    other: `mcp__linear__list mcp__browser__open diff_both get_reservation_details rows ${"x".repeat(300)}`,
  };
  for (const [does, names] of Object.entries(cases)) {
    for (const name of names.split(" ")) assert.equal(canonical(name), does, name);
  }
});

test("D1 a result is named by the file, the command or the tool", () => {
  for (const [tool, asked, expected] of [
    ["Read", '{"file_path":"/a/b.rs"}', "/a/b.rs"],
    ["view", '{"command":"view","path":"b.rs"}', "b.rs"],
    ["str_replace_editor", '{"command":"view","path":"b.rs"}', "b.rs"],
    ["Bash", '{"description":"run","command":"cargo test"}', "cargo test"],
    ["shell", '{"command":["bash","-lc","cargo test"]}', "cargo test"],
    ["exec", 'text(await tools.exec_command({cmd: "cargo test"}))', "cargo test"],
    ["execute-tool", '{"tool_name":"execute_command","params":{"command":"ls"}}', "ls"],
    ["Bash", '{"command":"python3 - <<\'E\'\\nprint(1)\\nE"}', "python3 - <<'E'…"],
    ["get_user", '{"page":2,"zone":"eu","id":"x"}', 'get_user "eu"'],
    ["list_all", "{}", "list_all"],
    ["list_all", "", "list_all"],
  ] as const) {
    assert.equal(ofCall(tool, asked)?.text, expected, `${tool} ${asked}`);
  }
});

test("D1 what cannot be named without doubt has no name", () => {
  for (const [tool, asked] of [
    ["Read", '{"file_path":"a","offset":20,"limit":10}'],
    ["view", '{"command":"view","path":"a","view_range":[1,20]}'],
    ["read_file", '{"path":"a","lines":"10-20"}'],
    ["Read", '{"file_path":"a\\nb"}'],
    ["Read", '{"file_path":"as seen above"}'],
    ["Read", "{}"],
    ["Edit", '{"file_path":"a"}'],
  ] as const) {
    assert.equal(ofCall(tool, asked), undefined, `${tool} ${asked}`);
  }
});

test("arguments without a command have none", () => {
  for (const asked of ["", "{}", "[]", '{"command":1}', '{"command":" "}', '{"path":"x"}', "[1]"]) {
    assert.equal(commandLine(asked), undefined, asked);
  }
});

function sets(names: Record<string, string>): Record<string, Set<string>> {
  return setsOf(Object.fromEntries(Object.entries(names).map(([tool, all]) => [tool, all.split(" ")])));
}

function setsOf(names: Record<string, string[]>): Record<string, Set<string>> {
  return Object.fromEntries(Object.entries(names).map(([tool, all]) => [tool, new Set(all)]));
}
