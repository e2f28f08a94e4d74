// Tool round trips of real SDKs through the gateway: its work is not to be seen in them, only in what the provider gets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as ai from './agents/ai.js';
import * as anthropicMessages from './agents/anthropic-messages.js';
import * as bedrockSigned from './agents/bedrock-signed.js';
import { collect } from './agents/common.js';
import * as openaiChat from './agents/openai-chat.js';
import * as openaiResponses from './agents/openai-responses.js';
import * as mock from './mock.js';

const AGENTS = {
  'openai chat': openaiChat.talk,
  'openai responses': openaiResponses.talk,
  '@anthropic-ai/sdk': anthropicMessages.talk,
  '@aws-sdk/client-bedrock-runtime, signed': bedrockSigned.talk,
  'ai with @ai-sdk/openai chat': ai.openaiChat,
  'ai with @ai-sdk/openai responses': ai.openaiResponses,
  'ai with @ai-sdk/anthropic': ai.anthropic,
};

const TESTS = Array.from({ length: 400 }, (_, n) => `test parser::reads_document_${1000 + n} ... ok`);
const OUTPUTS = {
  'cargo test': ['running 400 tests', ...TESTS, '', 'test result: ok. 400 passed; 0 failed', ''].join('\n'),
  'cargo --version': 'cargo 1.90.0',
};

for (const [name, talk] of Object.entries(AGENTS)) {
  for (const streams of [false, true]) {
    for (const [story, { said, replies }] of Object.entries(mock.STORIES)) {
      test(`${name}, ${streams ? 'streamed' : 'whole'}, ${story}`, async () => {
        await mock.begin(story);
        const run = (command) => OUTPUTS[command];
        const turns = await collect(talk(process.env.GATEWAY_URL, run, streams));

        assert.deepEqual(turns.map((turn) => turn.text), said);
        assert.deepEqual([...new Set(turns.flatMap((turn) => turn.calls))], ['Bash']);
        assert.ok(!JSON.stringify(turns).includes('expand_context'), 'the client sees a tool that is not its own');
        const requests = await mock.requests();
        assert.deepEqual(requests.map((request) => request.refused), replies.map(() => null));
        const forwarded = requests.map((request) => JSON.stringify(request.body));
        assert.match(forwarded[1], /<<<SHADOW:/);
        assert.ok(forwarded[1].length < OUTPUTS['cargo test'].length / 2, 'the tool result is not smaller');
        const isExpanded = replies.map((_, at) => at === 2);
        assert.deepEqual(forwarded.map((body) => body.includes(TESTS[200])), isExpanded);
      });
    }
  }
}
