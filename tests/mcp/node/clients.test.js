// Real clients in front of the gateway, real servers behind it: everything is as if they spoke to each other.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { line } from './clients/line.js';
import { SDKS } from './clients/sdk.js';
import { commandOf, kill, refresh } from './clients/servers.js';

const { FOLDER, GATEWAY_URL, TOKENFORGE } = process.env;
const LONG = { name: 'trigger-long-running-operation', arguments: { duration: 120, steps: 1200 } };

// Ways to the servers: where to, and what their tools are called there.
const DOORS = {
  '/mcp': { where: () => `${GATEWAY_URL}/mcp`, named: (server, tool) => `${server}__${tool}` },
  '/mcp/PREFIX': { where: (server) => `${GATEWAY_URL}/mcp/${server}`, named: (_, tool) => tool },
  'mcp stdio': { where: (server) => [TOKENFORGE, 'mcp', 'stdio', '--', ...commandOf(server)], named: (_, tool) => tool },
};

for (const [sdk, { connect, call, isModern }] of Object.entries(SDKS)) {
  for (const [door, { where, named }] of Object.entries(DOORS)) {
    describe(`${sdk}, ${door}`, { timeout: 60_000 }, () => {
      const clients = {};
      const calls = (server, name, args = {}, options) =>
        call(clients[server], { name: named(server, name), arguments: args }, options);

      before(async () => {
        for (const server of ['files', 'everything', 'memory', 'git']) clients[server] = await connect(where(server));
      });
      after(() => Promise.all(Object.values(clients).map((client) => client.close())));

      test('speaks the version that it wants', { skip: door === 'mcp stdio' && 'the server decides' }, () => {
        const session = clients.files.transport.sessionId;
        assert.equal(session === undefined, Boolean(isModern));
      });

      test('lists tools, prompts and resources', async () => {
        for (const [server, tool] of [['files', 'read_text_file'], ['everything', 'echo'], ['memory', 'read_graph'], ['git', 'git_log']]) {
          const { tools } = await clients[server].listTools();
          assert.ok(tools.some(({ name }) => name === named(server, tool)), `${server} has no ${tool}`);
        }
        const { prompts } = await clients.everything.listPrompts();
        assert.ok(prompts.some(({ name }) => name === named('everything', 'simple-prompt')));
        const { resources } = await clients.everything.listResources();
        const { contents } = await clients.everything.readResource({ uri: resources[0].uri });
        assert.ok(contents[0].text.length > 0);
        if (door !== 'mcp stdio') {
          const client = await connect(where('reference'));
          const { contents } = await client.readResource({ uri: 'test://static-text' });
          assert.match(contents[0].text, /static text resource/);
          await client.close();
        }
      });

      test('calls tools of every server', async () => {
        const path = join(FOLDER, 'notes.txt');
        const read = await calls('files', 'read_text_file', { path });
        assert.equal(read.content[0].text, await readFile(path, 'utf8'));
        const sum = await calls('everything', 'get-sum', { a: 2, b: 3 });
        assert.match(sum.content[0].text, /5/);
        const log = await calls('git', 'git_log', { repo_path: join(FOLDER, 'repository') });
        assert.match(log.content[0].text, /the first commit/);
        const name = randomUUID();
        await calls('memory', 'create_entities', { entities: [{ name, entityType: 'test', observations: ['seen'] }] });
        const found = await calls('memory', 'search_nodes', { query: name });
        assert.match(found.content[0].text, new RegExp(name));
      });

      test('hears of errors', async () => {
        const missing = await calls('files', 'read_text_file', { path: join(FOLDER, 'missing') });
        assert.equal(missing.isError, true);
        assert.match(missing.content[0].text, /ENOENT/);
        const wrong = await calls('everything', 'echo', { message: 1 });
        assert.equal(wrong.isError, true);
        const unknown = await calls('everything', 'no-such-tool').catch((error) => ({ isError: true, error }));
        assert.equal(unknown.isError, true);
        await assert.rejects(clients.everything.getPrompt({ name: named('everything', 'no-such-prompt') }));
      });

      test('gets images', async () => {
        const { content } = await calls('everything', 'get-tiny-image');
        const image = content.find(({ type }) => type === 'image');
        assert.equal(image.mimeType, 'image/png');
        assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
      });

      test('gets structured results', async () => {
        // A client that listed the tools compares results with their schemas.
        await clients.everything.listTools();
        const weather = await calls('everything', 'get-structured-content', { location: 'New York' });
        assert.deepEqual(Object.keys(weather.structuredContent).sort(), ['conditions', 'humidity', 'temperature']);
        const graph = await calls('memory', 'read_graph');
        assert.ok(Array.isArray(graph.structuredContent.entities));
      });

      test('takes a call back', async () => {
        const controller = new AbortController();
        const onprogress = () => controller.abort();
        const long = calls('everything', LONG.name, LONG.arguments, { signal: controller.signal, onprogress });
        await assert.rejects(long);
        const { content } = await calls('everything', 'echo', { message: 'still there' });
        assert.match(content[0].text, /still there/);
      });

      const cannotResume = (isModern && 'this version knows no such thing') || (door === 'mcp stdio' && 'there is no stream');

      test('gets an answer for which the server lets it come back', { skip: cannotResume }, async () => {
        const client = await connect(where('reference'));
        const { content } = await call(client, { name: named('reference', 'test_reconnection'), arguments: {} });
        assert.match(content[0].text, /on the next one/);
        await client.close();
      });

      test('gets an answer though its connection broke', { skip: cannotResume }, async () => {
        const cuttable = await line(where('everything'));
        const client = await connect(cuttable.url);
        const params = { name: named('everything', LONG.name), arguments: { duration: 2, steps: 4 } };
        const seen = [];
        const onprogress = ({ progress }) => seen.push(progress) === 1 && cuttable.cut();
        const { content } = await call(client, params, { onprogress });
        assert.match(content[0].text, /completed/i);
        assert.deepEqual(seen, [1, 2, 3, 4], 'what was said meanwhile comes again');
        await client.close();
        cuttable.close();
      });

      test('hears that a list changed', { skip: door === 'mcp stdio' && 'the server has an address' }, async () => {
        let heard;
        const onChanged = (_, tools) => (heard = tools);
        const client = await connect(where('reference'), { listChanged: { tools: { onChanged, debounceMs: 0 } } });
        while (!heard) {
          // The way on which it is told may not be open at once.
          await call(client, { name: named('reference', 'test_trigger_tool_change'), arguments: {} });
          await aMoment();
        }
        assert.ok(heard.some(({ name }) => name === named('reference', 'test_simple_text')));
        await client.close();
      });

      test('hears that a server was killed in mid-call', async () => {
        const word = door === 'mcp stdio' ? randomUUID() : `${FOLDER}/doomed`;
        const place = where('doomed');
        await refresh('doomed');
        const client = await connect(door === 'mcp stdio' ? [...place.slice(0, -1), word] : place);
        const params = { ...LONG, name: named('doomed', LONG.name) };
        let killed = 0;
        const onprogress = () => (killed ||= kill(word));
        await assert.rejects(call(client, params, { onprogress }));
        assert.ok(killed > 0);
        const echo = { name: named('doomed', 'echo'), arguments: { message: 'alive' } };
        if (door !== 'mcp stdio') await untilAnswered(() => call(client, echo));
        await client.close();
      });
    });
  }
}

// The server is started again, though perhaps not at once.
async function untilAnswered(ask) {
  for (;;) {
    const { content, isError } = await ask().catch(() => ({ isError: true }));
    if (!isError) return assert.match(content[0].text, /alive/);
    await aMoment();
  }
}

function aMoment() {
  return new Promise((done) => setTimeout(done, 100));
}
