// A gateway before the validating provider, and a browser that looks at its dashboard.

import { AxeBuilder } from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { write } from './ledger.js';

export const DEVICES = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};
export const THEMES = ['light', 'dark'];
const PICTURE = { viewport: { width: 1200, height: 1042 }, deviceScaleFactor: 1.4 };

const TOOLS = fileURLToPath(new URL('tools.js', import.meta.url));

// The first line that a program prints, and how to end it.
export async function started(program, args, options) {
  const child = spawn(join(process.env.BINARIES, program), args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  const lines = createInterface({ input: child.stdout });
  const [line] = await new Promise((resolve, reject) => {
    lines.once('line', (first) => resolve([first]));
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  const end = () => new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill();
  });
  return { line, end };
}

// A provider, a gateway before it with these settings, and a browser. The ledger may have entries already.
export async function begin(settings, entries = []) {
  const folder = await mkdtemp(join(tmpdir(), 'tokenforge-browser-'));
  const file = join(folder, 'tokenforge.yaml');
  await writeFile(file, JSON.stringify(settings, null, 2));
  await write(folder, entries);
  const mock = await started('tokenforge-mock', []);
  const env = { ...process.env, FORGE_DATA_DIR: folder, FORGE_CONFIG_DIR: folder };
  const backend = JSON.parse(mock.line).url;
  const serve = (listen) => started('tokenforge', ['serve', '--listen', listen, '--backend-url', backend, '--config', file], { env, cwd: folder });
  let gateway = await serve('127.0.0.1:0');
  const address = gateway.line.split(' ')[2];
  const world = await seen(address, env, async () => {
    await gateway.end();
    await mock.end();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    ...world,
    // The same gateway with the same folders, anew.
    restart: async () => {
      await gateway.end();
      gateway = await serve(new URL(address).host);
    },
    // What a command prints as JSON, in the same folders.
    command: async (...args) => JSON.parse((await promisify(execFile)(join(process.env.BINARIES, 'tokenforge'), args, { env, cwd: folder })).stdout),
  };
}

// What `tokenforge demo` shows, and a browser.
export async function beginDemo() {
  const folder = await mkdtemp(join(tmpdir(), 'tokenforge-browser-'));
  const env = { ...process.env, FORGE_DATA_DIR: folder, FORGE_CONFIG_DIR: folder };
  const program = await started('tokenforge', ['demo', '--stay', '--json'], { env, cwd: folder });
  return seen(JSON.parse(program.line).gateway, env, async () => {
    await program.end();
    await rm(folder, { recursive: true, force: true });
  });
}

// A browser, for which this name leads to this machine.
const browse = () => chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`, ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
});

export const REBOUND = 'rebound.example';

// A gateway, as a browser sees it that was signed in by a link, unless it is a stranger's.
async function seen(address, env, end) {
  const browser = await browse();
  // A link as `tokenforge dashboard` prints it.
  const link = async () => {
    const asked = await promisify(execFile)(join(process.env.BINARIES, 'tokenforge'), ['dashboard', '--json', '--gateway', address], { env });
    return JSON.parse(asked.stdout).link;
  };
  return {
    address,
    browser,
    link,
    api: async (path, options) => (await fetch(`${address}/_forge/api/${path}`, options)).json(),
    // A page that reports all that it should not do: errors, and questions to anybody else.
    open: async (hash, { theme = 'light', device = 'desktop', stranger = false, zone } = {}) => {
      const context = await browser.newContext({ ...(DEVICES[device] ?? PICTURE), colorScheme: theme, reducedMotion: 'reduce', timezoneId: zone });
      const page = await context.newPage();
      page.faults = [];
      page.expectedFaults = [];
      page.on('console', (message) => message.type() === 'error' && page.faults.push(`${message.text()} ${message.location().url}`));
      page.on('pageerror', (error) => page.faults.push(String(error)));
      page.on('request', (request) => request.url().startsWith(address) || request.url() === 'about:blank' || page.faults.push(`asked ${request.url()}`));
      if (process.env.WEB) await page.route(`${address}/_forge/ui/**`, changed);
      if (!stranger) {
        await page.goto(await link());
        await page.waitForFunction(() => localStorage.getItem('forge.session'));
        // A page of its own: it does not know that there was a link.
        await page.goto('about:blank');
      }
      await page.goto(`${address}/_forge/ui/#/${hash}`);
      return page;
    },
    end: async () => {
      await browser.close();
      await end();
    },
  };
}

// WEB=../../crates/gateway/web shows the files of that folder in place of those in the program: a change is seen without a build.
async function changed(route) {
  const response = await route.fetch().catch(() => null);
  // The page may be gone.
  if (!response) return;
  const name = new URL(route.request().url()).pathname.replace('/_forge/ui/', '') || 'index.html';
  await route.fulfill({ response, body: await readFile(join(process.env.WEB, name)) });
}

export const demo = { mcp: { backends: { demo: { command: process.execPath, args: [TOOLS] } } } };

// A page without a fault: nothing for axe to say, nothing wider than the screen, no error. Leaves a picture.
export async function inspect(page, name) {
  await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`), fullPage: true });
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => `${node.html}: ${node.failureSummary}`).join('\n  ')}`);
  assert.equal(said.join('\n'), '', name);
  const [wide, all] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
  assert.ok(all <= wide, `${name} is ${all} wide on a screen of ${wide}`);
  assert.deepEqual(page.faults.filter((fault) => !page.expectedFaults.some((expected) => fault.includes(expected))), [], name);
}
