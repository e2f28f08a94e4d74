// The official clients for TypeScript, old and new, behind one face.

import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const ME = { name: 'tokenforge-tests', version: '1.0.0' };

export const SDKS = {
  'TypeScript SDK 1.x': {
    connect: connecting((options) => new Client1(ME, options), Http1, Stdio1),
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  'TypeScript SDK 2.x, with a session': {
    connect: connecting((options) => new Client2(ME, options), Http2, Stdio2),
    call: (client, params, options) => client.callTool(params, options),
  },
  'TypeScript SDK 2.x, without sessions': {
    connect: connecting((options) => new Client2(ME, { ...options, versionNegotiation: { mode: 'auto' } }), Http2, Stdio2),
    call: (client, params, options) => client.callTool(params, options),
    isModern: true,
  },
};

// Where to is an address, or a command and its arguments.
function connecting(create, Http, Stdio) {
  return async (where, options) => {
    const client = create(options);
    const [command, ...args] = where;
    const transport = Array.isArray(where) ? new Stdio({ command, args, stderr: 'ignore' }) : new Http(new URL(where));
    await client.connect(transport);
    return client;
  };
}
