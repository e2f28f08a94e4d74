// The AI SDK with the middleware, against a model that records what it is given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";
import { decode } from "@tokenforge/engine";
import { tokenforge } from "@tokenforge/engine/ai-sdk";

const LOG = Array.from({ length: 300 }, (_, n) => `test api::case_${String(n).padStart(3, "0")} ... ok\n`).join("");
const ISSUES = Array.from({ length: 200 }, (_, id) => ({ id, state: "open", title: `Number ${id} is broken` }));
const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

const anything = jsonSchema({ type: "object" });
const own = {
  bash: tool({ description: "Runs a command.", inputSchema: anything, execute: async () => LOG }),
  list_issues: tool({ description: "Lists issues.", inputSchema: anything, execute: async () => ISSUES }),
};

/** What the model calls after these results; nothing: it answers. */
function nextCall(results) {
  if (results.length === 0) return ["bash", { command: "cargo test" }];
  if (results.length === 1) return ["list_issues", { state: "open" }];
  const id = results[0].match(/shadow_[a-z]{35}/)?.[0];
  return results.length === 2 && id ? ["expand_context", { id }] : undefined;
}

/** A model that does that; `requests` are the results that it was given, call by call. */
function scripted() {
  const requests = [];
  const step = ({ prompt }) => {
    const parts = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
    const results = parts.map(({ output: { value } }) => (typeof value === "string" ? value : JSON.stringify(value)));
    requests.push(results);
    return [nextCall(results), `call_${results.length}`];
  };
  const toolCall = ([toolName, input], toolCallId) => ({ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) });
  const finishReason = (call) => ({ unified: call ? "tool-calls" : "stop", raw: undefined });
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      const [call, id] = step(options);
      const content = [call ? toolCall(call, id) : { type: "text", text: "done" }];
      return { content, finishReason: finishReason(call), usage: USAGE, warnings: [] };
    },
    doStream: async (options) => {
      const [call, id] = step(options);
      const text = [{ type: "text-start", id }, { type: "text-delta", id, delta: "done" }, { type: "text-end", id }];
      const content = call ? [toolCall(call, id)] : text;
      const end = { type: "finish", finishReason: finishReason(call), usage: USAGE };
      return { stream: convertArrayToReadableStream([{ type: "stream-start", warnings: [] }, ...content, end]) };
    },
  });
  return { model, requests };
}

async function run(streams, offersTool) {
  const { model: plain, requests } = scripted();
  const { middleware, tools } = tokenforge();
  const model = wrapLanguageModel({ model: plain, middleware });
  const options = { model, tools: offersTool ? { ...own, ...tools } : own, prompt: "test it", stopWhen: stepCountIs(8) };
  if (!streams) return { requests, result: await generateText(options) };
  const result = streamText(options);
  let text = "";
  for await (const part of result.textStream) text += part;
  return { requests, result: { text, steps: await result.steps } };
}

for (const streams of [false, true]) {
  const way = streams ? "streamed" : "whole";
  test(`the model gets smaller results and fetches what was left out: ${way}`, async () => {
    const { requests, result } = await run(streams, true);
    const last = requests.at(-1);
    assert.deepEqual(requests.map(({ length }) => length), [0, 1, 2, 3]);
    for (const results of requests) assert.deepEqual(results, last.slice(0, results.length));
    assert.ok(last[0].length < 0.1 * LOG.length);
    assert.equal(last[2], LOG);
    assert.ok(last[1].length < 0.8 * JSON.stringify(ISSUES).length);
    assert.deepEqual(JSON.parse(decode(last[1])), ISSUES);
    // What the program is told is what the tools said.
    const told = result.steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
    assert.deepEqual(told, [LOG, ISSUES, LOG]);
    assert.equal(result.text, "done");
  });

  test(`without our tool nothing is left out: ${way}`, async () => {
    const { requests } = await run(streams, false);
    const [log, issues] = requests.at(-1);
    assert.equal(requests.length, 3);
    assert.ok(log === LOG || decode(log) === LOG);
    assert.deepEqual(JSON.parse(decode(issues)), ISSUES);
  });
}

test("texts among other parts of a result become smaller and the others stay", async () => {
  const { middleware } = tokenforge();
  const file = { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } };
  const rows = JSON.stringify(ISSUES);
  const output = { type: "content", value: [file, { type: "text", text: rows }] };
  const prompt = [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "list_issues", input: {} }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "list_issues", output }] },
  ];
  const sent = await middleware.transformParams({ type: "generate", params: { prompt }, model: { modelId: "m" } });
  const [image, text] = sent.prompt[1].content[0].output.value;
  assert.equal(image, file);
  assert.ok(text.text.length < rows.length);
  assert.equal(decode(text.text), rows);
  assert.equal(prompt[1].content[0].output.value[1].text, rows);
});
