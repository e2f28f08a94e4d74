"use strict";

const assert = require("node:assert/strict");
const { test } = require("node:test");
const engine = require("@tokenforge/engine");

test("CommonJS and ES modules are the same module", async () => {
  const module = await import("@tokenforge/engine");
  assert.equal(module.Compressor, engine.Compressor);
  assert.deepEqual(Object.keys(module).sort(), Object.keys(engine).sort());
  assert.equal(engine.count("hello world"), 2);
});
