// A tool server with tasks as the extension `io.modelcontextprotocol/tasks` of 2026-07-28 has them (SEP-2663), and with the
// tools that the conformance suite calls. By hand: the official SDK has no server side of it.
//
//   node tasks.js           speaks Streamable HTTP without sessions, prints its address

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { said, text } from './contents.js';

const VERSION = '2026-07-28';
const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = { tools: {}, extensions: { [EXTENSION]: {} } };
const MISSING = { code: -32021, message: 'Missing required client capability', data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } };

const complete = (result = {}) => ({ resultType: 'complete', ...result });
const question = (message) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
});

// What each tool does, on its own or as a task. Some only work as a task.
const TOOLS = {
  greet: { call: ({ name }) => said(text(`Hello, ${name}!`)), isPlain: true },
  slow_compute: {
    call: async ({ seconds = 0, label = '' }, task) => {
      await sleep(seconds * 1000, undefined, { signal: task?.abort.signal });
      return said(text(`${label} computed in ${seconds} s`));
    },
  },
  failing_job: {
    call: async () => (await sleep(1000), { ...said(text('the job failed')), isError: true }),
    isRequired: true,
  },
  protocol_error_job: {
    call: () => {
      throw Object.assign(new Error('internal failure'), { code: -32603 });
    },
  },
  confirm_delete: {
    call: async (_, task) => {
      const { confirm } = await task.ask({ confirm: question('Really?') });
      return said(text(`answered with ${confirm.action}`));
    },
    isRequired: true,
  },
  multi_input: {
    call: async (_, task) => {
      const answers = await task.ask({ first: question('First?'), second: question('Second?') });
      return said(text(JSON.stringify(answers)));
    },
    isRequired: true,
  },
  test_tool_with_task: {
    call: (_, task, { user_name }) => said(text(`Done for ${user_name.content?.name ?? JSON.stringify(user_name)}`)),
    first: { user_name: question('Your name?') },
    isRequired: true,
  },
};

class Task {
  state = { taskId: randomUUID(), status: 'working', createdAt: now(), lastUpdatedAt: now(), ttlMs: 60_000, pollIntervalMs: 200 };
  abort = new AbortController();
  #answers = {};
  #answered;

  constructor(run) {
    Promise.resolve(this).then(run).then(
      (result) => this.#become('completed', { result }),
      ({ code = -32603, message }) => this.#become('failed', { error: { code, message } }),
    );
  }

  // Waits for the client's answers.
  ask(inputRequests) {
    this.#become('input_required', { inputRequests });
    return new Promise((answered) => (this.#answered = answered));
  }

  update(answers) {
    const { inputRequests = {} } = this.state;
    for (const [key, answer] of Object.entries(answers ?? {})) {
      if (!(key in inputRequests)) continue;
      delete inputRequests[key];
      this.#answers[key] = answer;
    }
    if (this.state.status !== 'input_required' || Object.keys(inputRequests).length) return;
    delete this.state.inputRequests;
    this.#become('working');
    this.#answered(this.#answers);
  }

  cancel() {
    this.#become('cancelled');
    this.abort.abort();
  }

  #become(status, more) {
    if (['completed', 'failed', 'cancelled'].includes(this.state.status)) return;
    delete this.state.inputRequests;
    Object.assign(this.state, { status, lastUpdatedAt: now() }, more);
  }
}

const tasks = new Map();

async function call({ name, arguments: args = {}, inputResponses }, knowsTasks) {
  const tool = TOOLS[name];
  if (!tool) throw { code: -32602, message: 'there is no such tool' };
  if (tool.isRequired && !knowsTasks) throw MISSING;
  if (tool.first && !inputResponses) return { resultType: 'input_required', inputRequests: tool.first, requestState: 'asked' };
  if (tool.isPlain || !knowsTasks) return complete(await tool.call(args));
  const task = new Task((task) => tool.call(args, task, inputResponses));
  tasks.set(task.state.taskId, task);
  return { resultType: 'task', ...task.state };
}

function aboutTask(method, { taskId, inputResponses }, knowsTasks) {
  if (!knowsTasks) throw MISSING;
  const task = tasks.get(taskId);
  if (!task) throw { code: -32602, message: 'Failed to retrieve task: Task not found' };
  if (method === 'tasks/get') return complete(structuredClone(task.state));
  if (method === 'tasks/update') task.update(inputResponses);
  else task.cancel();
  return complete();
}

async function answer({ method, params = {} }) {
  const extensions = params._meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions ?? {};
  const knowsTasks = EXTENSION in extensions;
  switch (method) {
    case 'server/discover':
      return complete({
        supportedVersions: [VERSION], capabilities: CAPABILITIES, serverInfo: { name: 'tokenforge-tasks', version: '1.0.0' }, ttlMs: 0, cacheScope: 'private',
      });
    case 'tools/list': {
      const tools = Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
      return complete({ tools, ttlMs: 0, cacheScope: 'private' });
    }
    case 'tools/call':
      return call(params, knowsTasks);
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return aboutTask(method, params, knowsTasks);
    default:
      throw { code: -32601, message: 'there is no such method' };
  }
}

function check({ headers }, { method, params = {} }) {
  const isAboutTask = ['tasks/get', 'tasks/update', 'tasks/cancel'].includes(method);
  const named = method === 'tools/call' ? params.name : isAboutTask ? params.taskId : headers['mcp-name'];
  if (headers['mcp-method'] !== method || headers['mcp-name'] !== named) throw { code: -32020, message: 'headers and body differ' };
}

function now() {
  return new Date().toISOString();
}

const STATUS = { [-32020]: 400, [-32021]: 400, [-32601]: 404 };

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const message = await json(request);
  if (message.id === undefined) return response.writeHead(202).end();
  const said = { jsonrpc: '2.0', id: message.id };
  try {
    check(request, message);
    said.result = await answer(message);
  } catch ({ code = -32603, message, data }) {
    said.error = { code, message, data };
  }
  response.writeHead(STATUS[said.error?.code] ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`));
