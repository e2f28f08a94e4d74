// Tasks of a real server, through every way: begun, followed, asked for input, cancelled, listed.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CallToolResultSchema, CreateTaskResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { SDKS } from './clients/sdk.js';
import { commandOf } from './clients/servers.js';

const { GATEWAY_URL, TOKENFORGE } = process.env;
const { connect } = SDKS['TypeScript SDK 1.x'];
const OPTIONS = { capabilities: { elicitation: { form: {} }, tasks: { requests: { elicitation: { create: {} } } } } };

const DOORS = {
  '/mcp': { where: `${GATEWAY_URL}/mcp`, prefix: 'everything__' },
  '/mcp/PREFIX': { where: `${GATEWAY_URL}/mcp/everything`, prefix: '' },
  'mcp stdio': { where: [TOKENFORGE, 'mcp', 'stdio', '--', ...commandOf('everything')], prefix: '' },
};

for (const [door, { where, prefix }] of Object.entries(DOORS)) {
  describe(`tasks, ${door}`, { timeout: 60_000 }, () => {
    const name = `${prefix}simulate-research-query`;
    let client;
    let tasks;

    before(async () => {
      client = await connect(where, OPTIONS);
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        const [{ const: interpretation }] = params.requestedSchema.properties.interpretation.oneOf;
        return { action: 'accept', content: { interpretation } };
      });
      tasks = client.experimental.tasks;
      // The client looks up there which tools need a task.
      const { tools } = await client.listTools();
      assert.equal(tools.find((tool) => tool.name === name).execution.taskSupport, 'required');
    });
    after(() => client.close());

    test('the server is known to have them', () => {
      assert.ok(client.getServerCapabilities().tasks.requests.tools.call);
    });

    test('a call is followed to its result', async () => {
      const seen = [];
      let text;
      for await (const message of tasks.callToolStream({ name, arguments: { topic: 'tides' } }, CallToolResultSchema, { task: { ttl: 60_000 } })) {
        seen.push(message.type);
        if (message.type === 'error') throw message.error;
        if (message.type === 'taskCreated') assert.ok(message.task.taskId.startsWith(prefix));
        if (message.type === 'result') text = message.result.content[0].text;
      }
      assert.equal(seen[0], 'taskCreated');
      assert.ok(seen.includes('taskStatus'));
      assert.match(text, /Research Report: tides/);
    });

    test('a task asks its client while the client waits for its result', async () => {
      const params = { name, arguments: { topic: 'python', ambiguous: true }, task: { ttl: 60_000 } };
      const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema);
      const { content, _meta } = await tasks.getTaskResult(task.taskId, CallToolResultSchema);
      assert.match(content[0].text, /Clarification\*\*: \S/);
      assert.equal(_meta['io.modelcontextprotocol/related-task'].taskId, task.taskId);
    });

    test('a task is cancelled, and listed as that', async () => {
      const params = { name, arguments: { topic: 'cancelled' }, task: { ttl: 60_000 } };
      const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema);
      assert.equal((await tasks.cancelTask(task.taskId)).status, 'cancelled');
      assert.equal((await tasks.getTask(task.taskId)).status, 'cancelled');
      const { tasks: listed } = await tasks.listTasks();
      assert.equal(listed.find(({ taskId }) => taskId === task.taskId).status, 'cancelled');
      await assert.rejects(tasks.getTask(`${prefix}no-such-task`));
    });
  });
}
