// Months of a ledger, as the gateway would have written them: the same every time.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DAY = 86_400;

// One request with a new result, the results before it, and what the provider counted.
export const entry = (time, { session = '00000000000000aa', project = 'webshop', client = 'claude-cli', model = 'claude-sonnet-4-5', results = [], fetches, ...more } = {}) => ({
  v: 1, time, source: 'gateway', client, project, session, model, dialect: 'Anthropic', results, ...(fetches && { fetches }),
  usage: { input: 400, cache_read: 20_000, cache_write: 3000, output: 350 }, ...more,
});

export const made = (tool, program, before, after, stages = ['clean']) => ({ tool, ...(program && { program }), stages, results: 1, before, after });

export const kept = (tool, program, before, reason) => ({ tool, ...(program && { program }), kept: reason, results: 1, before, after: before });

export const again = (tool, results, before, after) => ({ tool, stages: ['clean'], repeated: true, results, before, after });

// Puts entries into the ledger of a data folder.
export async function write(folder, entries) {
  const ledger = join(folder, 'savings');
  await mkdir(ledger, { recursive: true });
  for (const each of entries) {
    const day = new Date(each.time * 1000).toISOString().slice(0, 10);
    await writeFile(join(ledger, `${day}.0001.jsonl`), `${JSON.stringify(each)}\n`, { flag: 'a' });
  }
}

// Work on some of the last days, with a week in which there was none, and some long before.
export function months(now = Math.floor(Date.now() / 1000)) {
  const entries = [];
  const noon = now - (now % DAY) + 10 * 3600;
  for (const ago of [80, 61, 29, 28, 26, 25, 24, 14, 13, 12, 11, 8, 6, 5, 4, 3, 1]) {
    const start = noon - ago * DAY;
    const session = ago.toString(16).padStart(16, '0');
    const project = ['webshop', 'billing', 'docs'][ago % 3];
    const [client, model] = ago % 4 === 1 ? ['codex_cli_rs', 'gpt-5'] : ['claude-cli', ago % 5 === 0 ? 'claude-opus-4-5' : 'claude-sonnet-4-5'];
    const about = { session, project, client, model };
    entries.push(
      entry(start, { ...about, results: [made('Bash', 'cargo', 5200, 900, ['family', 'clean'])] }),
      entry(start + 60, { ...about, results: [made('Read', null, 2400 + 10 * ago, 1700, ['line_numbers']), again('Bash', 1, 5200, 900)] }),
      entry(start + 150, { ...about, results: [kept('Bash', 'git', 60, 'too_small'), kept('Edit', null, 300, 'exact_tool'), again('Bash', 1, 5200, 900), again('Read', 1, 2400 + 10 * ago, 1700)] }),
      entry(start + 300, { ...about, results: [made('mcp__github__list_issues', null, 8800, 3600, ['json']), again('Bash', 2, 5260, 960), again('Read', 1, 2400 + 10 * ago, 1700)] }));
    if (ago % 3 === 0) {
      const last = entries.at(-1);
      last.fetches = [{ tool: 'Bash', program: 'cargo', part: 'lines', tokens: 340 }];
      last.results.push({ tool: 'Bash', program: 'cargo', stages: ['family', 'clean'], results: 0, before: 0, after: 0, expanded: 340 });
      last.extra = { input: 100, cache_read: 15_000, output: 40 };
    }
  }
  return entries;
}
