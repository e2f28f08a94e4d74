// A tool server with everything that the conformance suite asks of one, made with the official SDK.
//
//   node server.js          speaks Streamable HTTP, prints its address
//   node server.js stdio    speaks over standard input and output

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { EventLog } from './events.js';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';
import { addTools } from './tools.js';

const states = createRequestStateCodec({ key: randomUUID() + randomUUID() });

// A server for one session, or in the era without sessions for one request.
function build(changed) {
  const server = new McpServer(
    { name: 'tokenforge-reference', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: states.verify },
    },
  );
  addTools(server, states, changed);
  addResources(server);
  addPrompts(server);
  return server;
}

function toSession(server) {
  return { tools: () => server().sendToolListChanged(), prompts: () => server().sendPromptListChanged() };
}

function buildSession() {
  const server = build(toSession(() => server));
  return server;
}

// The era with sessions, on the same path as the one without.
class Sessions {
  #transports = new Map();

  async fetch(request) {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return (await this.#begin()).handleRequest(request);
    const transport = this.#transports.get(id);
    return transport ? transport.handleRequest(request) : new Response('no such session', { status: 404 });
  }

  async #begin() {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#transports.set(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
      eventStore: new EventLog(),
      retryInterval: 500,
    });
    await buildSession().connect(transport);
    return transport;
  }
}

function serveHttp() {
  const changed = { tools: () => modern.notify.toolsChanged(), prompts: () => modern.notify.promptsChanged() };
  const modern = createMcpHandler(() => build(changed), { legacy: 'reject' });
  const sessions = new Sessions();
  const fetch = async (request) =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    ((await isLegacyRequest(request)) ? sessions : modern).fetch(request);
  const server = createServer(toNodeHandler({ fetch }));
  server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`));
}

if (process.argv[2] === 'stdio') serveStdio(buildSession);
else serveHttp();
