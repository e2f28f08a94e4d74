// The code of docs/typescript.md runs as it is printed; that its types are right is what tsc said before.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("the page runs", () => {
  const cwd = mkdtempSync(path.join(tmpdir(), "tokenforge-page-"));
  const printed = execFileSync(process.execPath, [fileURLToPath(new URL("page.mjs", import.meta.url))], { cwd, encoding: "utf8" });
  assert.equal(printed, "");
});
