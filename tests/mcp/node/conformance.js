// The official conformance suite against a tool server, directly and through the gateway.
//
// Whatever the server does right directly must be right through the gateway too, check by check. The suite may also find
// that a check does not apply: who answers with JSON, as everybody may, has no streams to look at.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { REFERENCE_URL, TASKS_URL, GATEWAY_URL } = process.env;

const all = (suite, version) => ({ suite, url: REFERENCE_URL, prefix: 'reference', runs: [['--suite', 'all', '--spec-version', version]] });

// The scenarios of the tasks extension belong to no version, and to no suite.
const TASKS = [
  'lifecycle',
  'capability-negotiation',
  'wire-fields',
  'request-state-removal',
  'mrtr-input',
  'request-headers',
  'dispatch-and-envelope',
  'required-task-error',
  'mrtr-composition',
].map((name) => ['--scenario', `tasks-${name}`, '--spec-version', '2026-07-28', '--force']);

const RUNS = [
  { name: '0.1.16, 2025-11-25', ...all('conformance-2025', '2025-11-25') },
  { name: '0.2.0-alpha.12, 2025-06-18', ...all('conformance-2026', '2025-06-18') },
  { name: '0.2.0-alpha.12, 2025-11-25', ...all('conformance-2026', '2025-11-25') },
  { name: '0.2.0-alpha.12, 2026-07-28', ...all('conformance-2026', '2026-07-28') },
  { name: '0.2.0-alpha.12, tasks', suite: 'conformance-2026', url: TASKS_URL, prefix: 'tasks', runs: TASKS },
];

// The suite needs a newer Node.js than there may be.
const NODE = await newNode();

const rows = [];
for (const run of RUNS) {
  const direct = await checks(run, run.url);
  assert.equal(total(direct, 'FAILURE'), 0, 'the server fails directly, so that it shows little about the gateway');
  const through = await checks(run, `${GATEWAY_URL}/mcp/${run.prefix}`);
  report(run, direct, through);
  rows.push({ 'suite, version': run.name, directly: score(direct, direct), 'through the gateway': score(through, direct) });
}
console.table(rows);

// What became of each check: how often it passed, failed, warned.
async function checks({ suite, runs }, url) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const cli = fileURLToPath(new URL(`node_modules/${suite}/dist/index.js`, import.meta.url));
    for (const options of runs) {
      await finished(spawn(NODE, [cli, 'server', '--url', url, ...options, '--output-dir', folder], { stdio: 'ignore' }));
    }
    const all = new Map();
    for (const entry of await readdir(folder)) {
      const scenario = entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
      for (const check of JSON.parse(await readFile(join(folder, entry, 'checks.json')))) {
        const key = `${scenario}: ${check.id} (${check.name})`;
        const seen = all.get(key) ?? { SUCCESS: 0, FAILURE: 0, WARNING: 0, INFO: 0, messages: [] };
        if (check.status in seen) seen[check.status] += 1;
        if (check.errorMessage) seen.messages.push(check.errorMessage);
        all.set(key, seen);
      }
    }
    assert.ok(all.size > 0, `the suite ${suite} did not run against ${url}`);
    return all;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function total(all, status) {
  return [...all.values()].reduce((sum, check) => sum + check[status], 0);
}

function score(all, direct) {
  const spared = [...direct].filter(([key, check]) => check.SUCCESS && doesNotApply(all.get(key))).length;
  const [passed, failed, warnings] = ['SUCCESS', 'FAILURE', 'WARNING'].map((status) => total(all, status));
  return `${passed} passed, ${failed} failed, ${warnings} warnings, ${spared} not applicable`;
}

function report(run, direct, through) {
  const isWorse = ([key, { SUCCESS }]) => SUCCESS > (through.get(key)?.SUCCESS ?? 0) && !doesNotApply(through.get(key));
  const worse = [...direct].filter(isWorse);
  console.log(`${worse.length ? 'not ok' : 'ok'} - conformance ${run.name}: what passes directly passes through the gateway`);
  for (const [key] of worse) {
    console.log(`    ${key}: ${through.get(key)?.messages.join('; ') || 'was not reached'}`);
    process.exitCode = 1;
  }
}

function doesNotApply(check) {
  return check !== undefined && check.INFO > 0 && check.SUCCESS + check.FAILURE + check.WARNING === 0;
}

function finished(child) {
  // The suite's exit status only says that some check failed.
  return new Promise((done, failed) => child.on('error', failed).on('exit', done));
}

async function newNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const own = fileURLToPath(new URL(`node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url));
  await access(own).catch(() => assert.fail('the conformance suite needs Node.js 22'));
  return own;
}
