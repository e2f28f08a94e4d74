// The tools that the conformance suite calls.

import { setTimeout as sleep } from 'node:timers/promises';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { audio, embedded, image, said, text } from './contents.js';
import { addQuestions } from './questions.js';

// Longer than the moment between two messages of one call.
const A_WHILE = 50;

export function addTools(server, states, changed) {
  const add = (name, call, inputSchema = z.object({})) =>
    server.registerTool(name, { description: name, inputSchema }, call);

  add('test_simple_text', () => said(text('This is a simple text response for testing.')));
  add('test_image_content', () => said(image));
  add('test_audio_content', () => said(audio));
  add('test_embedded_resource', () =>
    said(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')));
  add('test_multiple_content_types', () =>
    said(
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ));
  add('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });

  add('test_tool_with_logging', async (_, { mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await sleep(A_WHILE);
    await mcpReq.log('info', 'Tool processing data');
    await sleep(A_WHILE);
    await mcpReq.log('info', 'Tool execution completed');
    return said(text('logged'));
  });
  add('test_logging_tool', async (_, { mcpReq }) => {
    await mcpReq.log('info', 'only for those who asked');
    return said(text('logged'));
  });
  add('test_tool_with_progress', async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      await sleep(A_WHILE);
    }
    return said(text('done'));
  });
  add('test_reconnection', async (_, { http }) => {
    http?.closeSSE?.();
    await sleep(2 * A_WHILE);
    return said(text('The stream was closed, and this came on the next one.'));
  });

  add('test_trigger_tool_change', () => (changed.tools(), said(text('changed'))));
  add('test_trigger_prompt_change', () => (changed.prompts(), said(text('changed'))));

  add('test_x_mcp_header', ({ region }) => said(text(`region: ${region}`)), fromJsonSchema(HEADER_SCHEMA));
  add('json_schema_2020_12_tool', () => said(text('valid')), fromJsonSchema(SCHEMA_2020_12));

  addQuestions(add, states);
}

const HEADER_SCHEMA = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
};

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
