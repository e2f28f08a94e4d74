// A month of work, made of the session that `tokenforge demo` plays: its entries in the ledger, played on many days.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { started } from './world.js';

const DAY = 86_400;
const PROJECTS = ['webshop', 'webshop', 'billing', 'docs-site'];
const CLIENTS = ['claude-cli', 'claude-cli', 'opencode'];
const MODELS = ['claude-sonnet-4-5', 'claude-sonnet-4-5', 'claude-opus-4-5'];

// What the gateway of the demo wrote down.
async function played() {
  const folder = await mkdtemp(join(tmpdir(), 'tokenforge-month-'));
  const env = { ...process.env, TMPDIR: folder, FORGE_DATA_DIR: folder, FORGE_CONFIG_DIR: folder };
  const demo = await started('tokenforge', ['demo', '--stay', '--json'], { env, cwd: folder });
  // A request for the sums waits until all is written.
  await (await fetch(`${JSON.parse(demo.line).gateway}/_forge/api/gain`)).arrayBuffer();
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl')).sort();
  const lines = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  await demo.end();
  await rm(folder, { recursive: true, force: true });
  return lines.join('').trim().split('\n').map(JSON.parse);
}

// The same every time: as many sessions, and as much of each, as these numbers say.
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

export async function month(now = Math.floor(Date.now() / 1000)) {
  const requests = (await played()).filter(({ source }) => source === 'gateway');
  const next = numbers(20);
  const entries = [];
  for (let ago = 29; ago >= 0; ago -= 1) {
    const midnight = now - (now % DAY) - ago * DAY;
    const isWeekend = [0, 6].includes(new Date(midnight * 1000).getUTCDay());
    const sessions = isWeekend ? Math.max(0, next(5) - 3) : 1 + next(5);
    for (let number = 0; number < sessions; number += 1) {
      const about = { project: PROJECTS[next(4)], client: CLIENTS[next(3)], model: MODELS[next(3)], session: (ago * 100 + number + 1).toString(16).padStart(16, '0') };
      const start = midnight + (8 + next(10)) * 3600 + next(3600);
      const length = Math.ceil(requests.length * (0.7 + next(4) / 10));
      requests.slice(0, length).forEach((request, turn) => entries.push({ ...request, ...about, time: start + turn * 45 + next(30) }));
    }
  }
  return entries.filter(({ time }) => time < now);
}
