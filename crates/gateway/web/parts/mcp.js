// Calls a tool through the gateway's MCP endpoint, in the era of the protocol that needs no session.

import { asked, GATEWAY, Refused } from './api.js';

const VERSION = '2026-07-28';

// What came of a call: the form that the answer is in, what the gateway says about it, and the result itself.
export async function call(server, tool, args, format) {
  const started = performance.now();
  const message = {
    jsonrpc: '2.0', id: 1, method: 'tools/call',
    params: {
      name: tool, arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': VERSION,
        'io.modelcontextprotocol/clientInfo': { name: 'tokenforge-dashboard', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const url = new URL(`mcp/${encodeURIComponent(server)}`, GATEWAY);
  const response = await asked(url, {
    method: 'POST',
    body: JSON.stringify(message),
    headers: {
      'content-type': 'application/json',
      // Without streams: the answer is whole, and its headers say what form it has.
      accept: 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': header(tool),
      'x-prefer-format': format,
    },
  }, 'key');
  const answer = await response.json().catch(() => null);
  if (answer?.error) throw new Refused(response.status, (answer.error.message ?? String(answer.error)).replace(/^tokenforge: /, ''));
  if (!answer?.result) throw new Refused(response.status, `The gateway answered with status ${response.status}.`);
  return {
    server, tool, args, asked: format,
    got: response.headers.get('x-content-format'),
    note: answer.result._meta?.['dev.tokenforge/result'] ?? null,
    result: answer.result,
    milliseconds: performance.now() - started,
  };
}

// Names that are no header are sent as the protocol says.
function header(name) {
  if (/^[!-~]([ -~]*[!-~])?$/.test(name) && !name.startsWith('=?')) return name;
  const binary = Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join('');
  return `=?base64?${btoa(binary)}?=`;
}
