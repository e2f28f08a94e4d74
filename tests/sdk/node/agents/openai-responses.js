// Responses with `openai`.

import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { collect, DESCRIPTION, NAME, PARAMETERS, QUESTION } from './common.js';

const TOOL = { type: 'function', name: NAME, description: DESCRIPTION, parameters: PARAMETERS, strict: true };

export async function* talk(gateway, run, streams) {
  const { responses } = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: 'test', maxRetries: 0 });
  const input = [{ role: 'user', content: QUESTION }];
  for (;;) {
    const asked = { model: 'gpt-5', input, tools: [TOOL], store: false, include: ['reasoning.encrypted_content'] };
    const seen = streams ? await streamed(responses, asked) : [await responses.create(asked)];
    const { output, output_text: text } = seen.at(-1);
    const calls = output.filter((item) => item.type === 'function_call');
    yield { text, calls: calls.map((call) => call.name), seen };
    if (calls.length === 0) return;
    // The helpers of the SDK add what the API does not take back.
    input.push(...output.map(({ parsed_arguments: _, ...item }) => item));
    for (const call of calls) {
      const { command } = JSON.parse(call.arguments);
      input.push({ type: 'function_call_output', call_id: call.call_id, output: run(command) });
    }
  }
}

async function streamed(responses, asked) {
  const stream = responses.stream(asked);
  const events = await collect(stream);
  const response = await stream.finalResponse();
  const deltas = events.filter((event) => event.type === 'response.output_text.delta');
  assert.equal(deltas.map((event) => event.delta).join(''), response.output_text);
  return [...events, response];
}
