#!/usr/bin/env node
// Runs the binary from the package of this platform, as if it had been called itself.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "tokenforge.exe" : "tokenforge";

let binary;
try {
  binary = require.resolve(`@tokenforge/${platform}/${program}`);
} catch {
  console.error(
    `tokenforge: the package @tokenforge/${platform} is not installed. Either there is none for this platform, or optional ` +
      "dependencies were left out (npm install --include=optional).",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both; what is meant for this process alone goes on to the other.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`tokenforge: cannot run ${binary}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
