// Messages with `@anthropic-ai/sdk`, thinking.

import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { collect, DESCRIPTION, NAME, PARAMETERS, QUESTION } from './common.js';

const TOOL = { name: NAME, description: DESCRIPTION, input_schema: PARAMETERS };

export async function* talk(gateway, run, streams) {
  const client = new Anthropic({ baseURL: gateway, apiKey: 'test', maxRetries: 0 });
  const messages = [{ role: 'user', content: QUESTION }];
  for (;;) {
    const thinking = { type: 'enabled', budget_tokens: 2048 };
    const asked = { model: 'claude-opus-4-5', max_tokens: 4096, thinking, tools: [TOOL], messages };
    const seen = streams ? await streamed(client, asked) : [await client.messages.create(asked)];
    const message = seen.at(-1);
    const calls = message.content.filter((block) => block.type === 'tool_use');
    yield { text: said(message), calls: calls.map((call) => call.name), seen };
    if (calls.length === 0) return;
    const result = (call) => ({ type: 'tool_result', tool_use_id: call.id, content: run(call.input.command) });
    messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: calls.map(result) });
  }
}

async function streamed(client, asked) {
  const stream = client.messages.stream(asked);
  const events = await collect(stream);
  const message = await stream.finalMessage();
  assert.equal(events.map((event) => event.delta?.text ?? '').join(''), said(message));
  return [...events, message];
}

function said(message) {
  return message.content.map((block) => block.text ?? '').join('');
}
