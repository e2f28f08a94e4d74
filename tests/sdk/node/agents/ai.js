// The AI SDK, which runs the tools itself, with the providers of OpenAI and Anthropic.

import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { collect, DESCRIPTION, NAME, PARAMETERS, QUESTION } from './common.js';

export const openaiChat = agent((gateway) => openai(gateway).chat('gpt-5'));
export const openaiResponses = agent((gateway) => openai(gateway).responses('gpt-5'));
export const anthropic = agent((gateway) =>
  createAnthropic({ baseURL: `${gateway}/v1`, apiKey: 'test' })('claude-opus-4-5'),
);

function openai(gateway) {
  return createOpenAI({ baseURL: `${gateway}/v1`, apiKey: 'test' });
}

function agent(model) {
  return async function* talk(gateway, run, streams) {
    const execute = ({ command }) => run(command);
    const asked = {
      model: model(gateway),
      prompt: QUESTION,
      tools: { [NAME]: tool({ description: DESCRIPTION, inputSchema: jsonSchema(PARAMETERS), execute }) },
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } },
      stopWhen: stepCountIs(5),
      maxRetries: 0,
    };
    const steps = streams ? await streamed(asked) : (await generateText(asked)).steps;
    for (const step of steps) {
      yield { text: step.text, calls: step.toolCalls.map((call) => call.toolName), seen: [step] };
    }
  };
}

async function streamed(asked) {
  const result = streamText({ ...asked, onError: ({ error }) => assert.fail(error) });
  const parts = await collect(result.fullStream);
  const steps = await result.steps;
  const text = parts.filter((part) => part.type === 'text-delta').map((part) => part.text);
  assert.equal(text.join(''), steps.map((step) => step.text).join(''));
  return steps;
}
