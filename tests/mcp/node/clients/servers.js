// The servers behind the gateway, and the processes that they are.

import { readFileSync, readdirSync } from 'node:fs';

// The settings are JSON, which is YAML too.
const SERVERS = JSON.parse(readFileSync(process.env.SETTINGS)).mcp.backends;

// The command line of a server that is a program.
export function commandOf(server) {
  const { command, args } = SERVERS[server];
  return [command, ...args];
}

// Starts a server anew. One that ended often is left alone for a while, unless the operator says so.
export async function refresh(server) {
  const headers = { authorization: `Bearer ${process.env.FORGE_ADMIN_TOKEN}` };
  await fetch(`${process.env.GATEWAY_URL}/_forge/api/mcp/${server}/refresh`, { method: 'POST', headers });
}

// Kills the server whose command line holds this word, and that alone.
export function kill(word) {
  const isServer = ([program, ...args]) => !program.endsWith('tokenforge') && args.includes(word);
  const found = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && isServer(commandLine(entry)));
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return found.length;
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return ['']; // It ended meanwhile.
  }
}
