// Each agent calls a tool, gets on, and ends; what its model saw is smaller than what the tool printed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROWS = Array.from({ length: 60 }, (_, n) => ({ id: n, name: `service-${n}`, region: 'eu-west-1', state: 'running' }));
const OUTPUT = JSON.stringify(ROWS, null, 2);
const ANSWER = 'There are sixty services.';

const AGENTS = [
  {
    name: 'claude',
    arguments: ['-p', 'How many services are there?', '--allowedTools', 'Bash', '--model', 'claude-sonnet-4-5'],
    environment: (home) => ({
      ANTHROPIC_API_KEY: 'test',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    settings: ['.claude/settings.json', '{"includeCoAuthoredBy": false}\n'],
    path: '/v1/messages',
    call: { call: 'Bash', arguments: { command: './list-services' } },
    result: (body) => blocks(body).find((block) => block.type === 'tool_result')?.content,
  },
  {
    name: 'codex',
    arguments: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'How many services are there?'],
    environment: (home) => ({ CODEX_API_KEY: 'test', CODEX_HOME: join(home, '.codex') }),
    settings: ['.codex/config.toml', 'model = "gpt-5.1"\n'],
    path: '/v1/responses',
    call: { call: 'exec_command', arguments: { cmd: './list-services' } },
    result: (body) => body.input.find((item) => item.type === 'function_call_output')?.output,
  },
];

for (const agent of AGENTS) {
  test(`${agent.name} works behind a gateway, sees less, and keeps its settings`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'agent-'));
    try {
      // A program's output: the text of a file that a shell prints stays exact.
      writeFileSync(join(home, 'data.json'), OUTPUT);
      writeFileSync(join(home, 'list-services'), '#!/bin/sh\ncat data.json\n', { mode: 0o755 });
      const [file, text] = agent.settings;
      mkdirSync(join(home, file, '..'), { recursive: true });
      writeFileSync(join(home, file), text);
      await mock('DELETE', 'requests');
      await mock('DELETE', 'replies');
      await mock('POST', 'replies', JSON.stringify([agent.call, { text: ANSWER }]));

      const { code, stdout, stderr } = await wrapped(agent, home);
      const requests = (await mock('GET', 'requests')).filter((request) => request.path.startsWith(agent.path));
      const seen = `${stdout}\n${stderr}\n${JSON.stringify(requests.map(({ path, refused }) => ({ path, refused })))}`;
      assert.equal(code, 0, seen);
      assert.match(stdout, new RegExp(ANSWER), seen);
      assert.deepEqual(requests.map((request) => request.refused).filter(Boolean), [], seen);
      const result = requests.map((request) => agent.result(request.body)).find(Boolean);
      assert.ok(result, seen);
      const shown = typeof result === 'string' ? result : JSON.stringify(result);
      assert.match(shown, /service-[^]*59/);
      assert.ok(shown.length < OUTPUT.length, `${OUTPUT.length} bytes became ${shown.length}`);
      assert.match(stderr, /tokenforge: \d+ tool results? in \d+ requests: .* saved of .* %/, seen);
      console.log(`  ${agent.name}: ${OUTPUT.length} bytes became ${shown.length}; ${stderr.trim().split('\n').at(-1)}`);

      assert.equal(readFileSync(join(home, file), 'utf8'), text);
      // Nothing that the agent keeps leads to a gateway that is gone.
      for (const path of files(home)) {
        assert.doesNotMatch(readFileSync(path, 'latin1'), /127\.0\.0\.1:\d+\/p\//, path);
      }
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  });
}

// Runs an agent as a user would, in a home of its own.
function wrapped(agent, home) {
  const program = join(process.env.AGENTS, agent.name, 'node_modules/.bin', agent.name);
  const wrap = ['wrap', '--backend-url', process.env.MOCK_URL, program, ...agent.arguments];
  const { PATH, NO_PROXY, no_proxy } = process.env;
  const env = { PATH, NO_PROXY, no_proxy, HOME: home, ...agent.environment(home) };
  const child = spawn(process.env.TOKENFORGE, wrap, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const patience = setTimeout(() => child.kill(), 120_000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(patience);
      resolve({ code, stdout, stderr });
    });
  });
}

async function mock(method, path, body) {
  const response = await fetch(`${process.env.MOCK_URL}/_mock/${path}`, { method, body });
  return response.json();
}

function blocks(body) {
  return body.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
}

function files(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
