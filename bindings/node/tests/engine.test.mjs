// The engine in Node: the bytes of the gateway, clear errors, and a store of one's own.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createReadStream, mkdtempSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Compressor, EXPAND_TOOL, OriginalNotFound, TokenforgeError, count, decode } from "@tokenforge/engine";
import { resultOf, shaped } from "./shapes.mjs";

const TEXT = Array.from({ length: 60 }, (_, n) => `test api::case_${String(n).padStart(2, "0")} ... ok\n`).join("");
const CALL = { tool: "Bash", arguments: { command: "cargo test" } };

/** What Rust makes of every recorded request and output: `cargo run -p tokenforge-conversation --example vectors`. */
async function vectors() {
  const lines = [];
  for await (const line of createInterface({ input: createReadStream(process.env.EMBED_VECTORS) })) lines.push(JSON.parse(line));
  return lines;
}

function conversation(text) {
  return {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    messages: [
      { role: "user", content: "test it" },
      { role: "assistant", content: [{ id: "toolu_01", type: "tool_use", name: "Bash", input: CALL.arguments }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01", content: text }] },
    ],
    tools: [{ name: "Bash", input_schema: { type: "object" } }],
  };
}

test("c16: every recorded request and output becomes the bytes that Rust makes", async () => {
  const [{ settings }, ...lines] = await vectors();
  const compressor = new Compressor({ settings });
  let requests = 0;
  let outputs = 0;
  let smaller = 0;
  for (const { provider, model, body, tool, output, arguments: given, made } of lines) {
    if (provider) {
      const how = { provider, pathModel: model };
      const { body: sent } = await compressor.compressBody(body, how);
      assert.equal(sent.toString(), made);
      assert.equal(compressor.compressBodySync(body, how).body.toString(), made);
      requests += 1;
    } else {
      const call = { tool, arguments: given };
      assert.equal((await compressor.compressOutput(output, call)).text, made);
      outputs += 1;
    }
    smaller += made.length < (body ?? output).length;
  }
  assert.ok(requests >= 30 && outputs >= 400 && smaller >= 200, `${requests} ${outputs} ${smaller}`);
});

test("a conversation in the shape of its provider", async () => {
  const compressor = new Compressor({ settings: { pipes: { tool_output: { expand_injection: "from_start" } } } });
  const { messages, ...members } = conversation(TEXT);
  const made = await compressor.compress(messages, { provider: "anthropic", ...members });
  assert.ok(made.offersExpansion && made.tokensAfter < made.tokensBefore);
  assert.deepEqual(made.request.tools.map(({ name }) => name), ["Bash", "expand_context"]);
  const [{ tool, call, verdict, reference }] = made.results;
  assert.deepEqual([tool, call, verdict], ["Bash", "toolu_01", "compressed"]);
  assert.equal(await compressor.expand(reference), TEXT);
  assert.equal(compressor.expandSync(reference, { lines: "1" }), "test api::case_00 ... ok\n");
  assert.match(await compressor.expand(reference, { grep: "_07" }), /case_07/);
  assert.deepEqual(compressor.compressSync(messages, { provider: "anthropic", ...members }), made);
});

const PROVIDERS = ["anthropic", "openai_chat", "openai_responses", "gemini", "bedrock_converse", "bedrock_invoke", "ollama"];
const ROWS = JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ id, state: "open", name: `row ${id}` })));

for (const provider of PROVIDERS) {
  test(`a request of ${provider} is read and comes back with a smaller result`, async () => {
    const compressor = new Compressor({ settings: { pipes: { tool_output: { model_class: "large" } } } });
    const [member, messages, members] = shaped(provider, ROWS);
    const made = await compressor.compress(messages, { provider, ...members });
    const text = resultOf(provider, made.request);
    assert.deepEqual(made.results.map(({ verdict }) => verdict), ["compressed"]);
    assert.ok(text.length < 0.7 * ROWS.length);
    assert.equal(decode(text), ROWS);
    // Everything but the result is as it came; Gemini has its model in the path.
    if (provider === "gemini") delete members.model;
    assert.deepEqual(made.request, { ...members, [member]: shaped(provider, text)[1] });
  });

  test(`what is left out of results of ${provider} can be fetched`, async () => {
    const compressor = new Compressor({ settings: { pipes: { tool_output: { expand_injection: "from_start" } } } });
    const [, messages, members] = shaped(provider, TEXT);
    const made = await compressor.compress(messages, { provider, ...members });
    const [{ reference }] = made.results;
    assert.ok(made.offersExpansion && resultOf(provider, made.request).includes(reference));
    assert.equal(await compressor.expand(reference), TEXT);
  });
}

test("c16: a model in the path decides the form", async () => {
  const compressor = new Compressor();
  for (const [provider, named, pathModel] of [
    ["gemini", "model", "gemini-2.5-flash-lite"],
    ["bedrock_converse", "modelId", "amazon.nova-lite-v1:0"],
  ]) {
    const [conversation, messages, { [named]: _, ...members }] = shaped(provider, ROWS);
    const result = async (made) => resultOf(provider, (await made).request);
    const small = await result(compressor.compress(messages, { provider, ...members, [named]: pathModel }));
    assert.match(small, /^\[\{id:0,/, "small models are given rows without tables");
    const body = JSON.stringify({ ...members, [conversation]: messages });
    assert.equal(await result(compressor.compressBody(body, { provider, pathModel })), small);
    assert.match(await result(compressor.compressBody(body, { provider })), /^stc2/);
  }
});

test("without tools nothing is left out unless the caller fetches it", () => {
  const compressor = new Compressor();
  const { messages } = conversation(TEXT);
  assert.equal(compressor.compressSync(messages, { provider: "anthropic" }).results[0].reference, undefined);
  const fetched = compressor.compressSync(messages, { provider: "anthropic", callerFetches: true });
  assert.notEqual(fetched.results[0].reference, undefined);
});

test("bad input is an error that says where, from promises too", async () => {
  const compressor = new Compressor();
  const bad = [
    [(c) => c.compressBody('{"messages":[}', { provider: "anthropic" }), /invalid JSON at byte 13/],
    [(c) => c.compressBodySync('{"messages":[}', { provider: "anthropic" }), /invalid JSON at byte 13/],
    [(c) => c.compressBody(Buffer.from('{"model":"m","messages":[],"x":"\xff"}', "latin1")), /invalid UTF-8 at byte 32/],
    [(c) => c.compressBody('{"messages":[],"messages":[]}'), /`messages` occurs twice in one object, at byte \d+/],
    [(c) => c.compressBody("{}", { provider: "nobody" }), /unknown provider "nobody"; expected one of anthropic/],
    [(c) => c.compress([], { provider: "nobody" }), /unknown provider "nobody"; expected one of anthropic/],
    [(c) => c.compress([], { provider: "constructor" }), /unknown provider "constructor"/],
    [(c) => c.compressOutput("abc\ud800"), /text: half a character .* at position 3/],
    [(c) => c.compressOutputSync(5), /text: expected a string, found number/],
    [(c) => c.compressBodySync(null), /body: expected a string or a Uint8Array, found null/],
    [() => new Compressor({ settings: { pipes: { tool_output: { mode: "turbo" } } } }), /pipes\.tool_output\.mode/],
    [() => new Compressor({ store: "nowhere" }), /expected memory:, disk:PATH/],
    [() => new Compressor({ store: {} }), /an object with get and put/],
    [() => decode("[2]{id,ok}:1,true/2"), /byte \d+/],
  ];
  for (const [call, message] of bad) {
    const error = await (async () => call(compressor))().then(() => undefined, (error) => error);
    assert.ok(error instanceof TokenforgeError, `${call}: ${error}`);
    assert.match(error.message, message);
  }
  const nowhere = "shadow_" + "a".repeat(35);
  await assert.rejects(compressor.expand(nowhere), OriginalNotFound);
  assert.throws(() => compressor.expandSync(nowhere), { name: "OriginalNotFound", message: /No original is kept under/ });
});

test("half a character, which JSON can say, stays one", async () => {
  const messages = [{ role: "user", content: "\ud800" }, ...conversation(TEXT).messages];
  const { request } = await new Compressor().compress(messages, { provider: "anthropic" });
  assert.equal(request.messages[0].content, "\ud800");
});

test("decode undoes a lossless form, and count counts", () => {
  const rows = JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, state: "open" })));
  const lossless = new Compressor({ settings: { pipes: { tool_output: { mode: "lossless" } } } });
  const made = lossless.compressOutputSync(rows);
  assert.ok(made.tokensAfter < made.tokensBefore);
  assert.equal(decode(made.text), rows);
  assert.equal(count("hello world"), 2);
  assert.equal(count(rows), made.tokensBefore);
  assert.equal(EXPAND_TOOL.name, "expand_context");
});

test("a store of one's own keeps originals and the key, and may read files meanwhile", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tokenforge-store-"));
  const file = (name) => path.join(folder, encodeURIComponent(name));
  const store = {
    get: (name) => readFile(file(name)).catch(() => undefined),
    put: (name, data) => writeFile(file(name), data),
  };
  // More at a time than Node has threads for files: none of ours may hold one of those.
  const compressor = new Compressor({ store });
  const texts = Array.from({ length: 32 }, (_, n) => `running ${n}\n${TEXT}`);
  const made = await Promise.all(texts.map((text) => compressor.compressOutput(text, CALL)));
  const again = new Compressor({ store });
  for (const [n, { reference }] of made.entries()) assert.equal(await again.expand(reference), texts[n]);
  assert.deepEqual(await again.compressOutput(texts[0], CALL), made[0]);
  assert.throws(() => compressor.compressOutputSync(TEXT), /a store of your own works with the asynchronous methods only/);
});

test("a store in a folder outlives the compressor", async () => {
  const store = `disk:${mkdtempSync(path.join(tmpdir(), "tokenforge-disk-"))}`;
  const { reference } = new Compressor({ store }).compressOutputSync(TEXT, CALL);
  assert.equal(await new Compressor({ store }).expand(reference), TEXT);
});

/** The address of a server of one's own, if there is a program for one. */
async function startRedis(context) {
  const programs = ["redis-server", "valkey-server"];
  const program = programs.find((name) => {
    try {
      execFileSync(name, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
  if (!program) return undefined;
  const free = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => free.once("listening", resolve));
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const folder = mkdtempSync(path.join(tmpdir(), "tokenforge-redis-"));
  const server = spawn(program, ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]);
  context.after(() => server.kill());
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes("eady to accept connections")) break; // it says when it listens
  }
  return `redis://127.0.0.1:${port}`;
}

test("a store on Redis is shared by two compressors", async (context) => {
  const store = await startRedis(context);
  if (store === undefined) return context.skip("neither redis-server nor valkey-server is here");
  const { reference } = await new Compressor({ store }).compressOutput(TEXT, CALL);
  assert.equal(await new Compressor({ store }).expand(reference), TEXT);
});

test("a path into an original that is no JSON is answered in words", async () => {
  const compressor = new Compressor();
  const { reference } = await compressor.compressOutput(TEXT, CALL);
  await assert.rejects(compressor.expand(reference, { path: "items[3].id" }), /not JSON; ask for lines or grep instead of path/);
});

test("a store that fails leaves nothing out", async () => {
  const broken = {
    get: () => undefined,
    put: () => {
      throw new Error("the disk is full");
    },
  };
  const made = await new Compressor({ store: broken }).compressOutput(TEXT, CALL);
  assert.equal(made.reference, undefined);
});

test("the event loop goes on meanwhile", async () => {
  const compressor = new Compressor();
  const big = Array.from({ length: 20000 }, (_, n) => JSON.stringify({ n, text: `${Math.sin(n)}` })).join("\n");
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await compressor.compressOutput(big);
  isDone = true;
  assert.ok(turns > 10, `${turns}`);
});

test("worker threads have their own", async () => {
  const code = `
    const { parentPort } = require("node:worker_threads");
    const { Compressor } = require("@tokenforge/engine");
    const store = new Map();
    const compressor = new Compressor({ store: { get: (name) => store.get(name), put: (name, data) => store.set(name, data) } });
    compressor.compressOutput(${JSON.stringify(TEXT)}, { tool: "Bash", arguments: { command: "cargo test" } })
      .then(({ reference }) => compressor.expand(reference)).then((text) => parentPort.postMessage(text));`;
  const worker = new Worker(code, { eval: true });
  const [text] = await new Promise((resolve, reject) => {
    worker.once("message", (text) => resolve([text]));
    worker.once("error", reject);
  });
  assert.equal(text, TEXT);
  await worker.terminate();
});
