// Chat Completions with `openai`.

import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { collect, DESCRIPTION, NAME, PARAMETERS, QUESTION } from './common.js';

const FUNCTION = { name: NAME, description: DESCRIPTION, parameters: PARAMETERS, strict: true };

export async function* talk(gateway, run, streams) {
  const { completions } = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: 'test', maxRetries: 0 }).chat;
  const messages = [{ role: 'user', content: QUESTION }];
  for (;;) {
    const asked = { model: 'gpt-5', messages, tools: [{ type: 'function', function: FUNCTION }] };
    const seen = streams ? await streamed(completions, asked) : [await completions.create(asked)];
    const { message } = seen.at(-1).choices[0];
    const calls = message.tool_calls ?? [];
    yield { text: message.content ?? '', calls: calls.map((call) => call.function.name), seen };
    if (calls.length === 0) return;
    messages.push(message);
    for (const call of calls) {
      const { command } = JSON.parse(call.function.arguments);
      messages.push({ role: 'tool', tool_call_id: call.id, content: run(command) });
    }
  }
}

async function streamed(completions, asked) {
  const stream = completions.stream(asked);
  const chunks = await collect(stream);
  const completion = await stream.finalChatCompletion();
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  assert.equal(text, completion.choices[0].message.content ?? '');
  return [...chunks, completion];
}
