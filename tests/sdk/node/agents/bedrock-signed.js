// Bedrock Converse with `@aws-sdk/client-bedrock-runtime` and an access key: over HTTP/2, where it signs `:authority`.

import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { collect, DESCRIPTION, NAME, PARAMETERS, QUESTION } from './common.js';

const TOOL = { toolSpec: { name: NAME, description: DESCRIPTION, inputSchema: { json: PARAMETERS } } };
const MODEL = 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-v1:0';

export async function* talk(gateway, run, streams) {
  const [accessKeyId, secretAccessKey] = process.env.SIGNED_WITH.split(':');
  const client = new BedrockRuntimeClient({
    region: 'eu-west-1',
    endpoint: gateway,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey },
    // With AWS_BEARER_TOKEN_BEDROCK set, it would show that.
    authSchemePreference: ['aws.auth#sigv4'],
  });
  try {
    const messages = [{ role: 'user', content: [{ text: QUESTION }] }];
    for (;;) {
      const asked = { modelId: MODEL, messages, toolConfig: { tools: [TOOL] } };
      const { content, seen } = streams ? await streamed(client, asked) : await whole(client, asked);
      const calls = content.flatMap((block) => block.toolUse ?? []);
      yield { text: content.map((block) => block.text ?? '').join(''), calls: calls.map((call) => call.name), seen };
      if (calls.length === 0) return;
      const result = (call) => ({ toolResult: { toolUseId: call.toolUseId, content: [{ text: run(call.input.command) }] } });
      messages.push({ role: 'assistant', content }, { role: 'user', content: calls.map(result) });
    }
  } finally {
    client.destroy();
  }
}

async function whole(client, asked) {
  const answer = await client.send(new ConverseCommand(asked));
  return { content: answer.output.message.content, seen: [answer.output] };
}

// The SDK leaves it to the program to make a message of events.
async function streamed(client, asked) {
  const answer = await client.send(new ConverseStreamCommand(asked));
  const seen = await collect(answer.stream);
  const blocks = [];
  for (const { contentBlockStart: start, contentBlockDelta: change } of seen) {
    if (start) blocks[start.contentBlockIndex] = { toolUse: { ...start.start.toolUse, input: '' } };
    if (change) extend((blocks[change.contentBlockIndex] ??= {}), change.delta);
  }
  for (const { toolUse } of blocks) if (toolUse) toolUse.input = JSON.parse(toolUse.input);
  return { content: blocks, seen };
}

function extend(block, { text, toolUse, reasoningContent }) {
  if (text !== undefined) block.text = (block.text ?? '') + text;
  if (toolUse) block.toolUse.input += toolUse.input;
  if (reasoningContent) {
    const thought = ((block.reasoningContent ??= {}).reasoningText ??= {});
    for (const [name, piece] of Object.entries(reasoningContent)) thought[name] = (thought[name] ?? '') + piece;
  }
}
