// Who gets in, what there is before anything has passed, and what a keyboard reaches.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { work } from './agent.js';
import { begin, demo, inspect, REBOUND } from './world.js';

const TOKEN = 'the-admin-token-of-this-test';
let open;
let guarded;

before(async () => {
  open = await begin({ ...demo, monitoring: { content_bytes: 0 } });
  guarded = await begin({ admin_token: TOKEN });
});
after(async () => {
  await open.end();
  await guarded.end();
});

test('without traffic or tools every page says what to do next', async () => {
  const page = await open.open('overview');
  await page.getByText('Nothing has passed yet.').waitFor();
  await inspect(page, 'empty-overview');
  await page.goto(`${open.address}/_forge/ui/#/results`);
  await page.getByText('No result has passed since').waitFor();
  await inspect(page, 'empty-results');
  for (const [name, said] of [['sessions', 'No session in'], ['untouched', 'No result in'], ['fetched', 'Nothing was fetched back']]) {
    await page.goto(`${open.address}/_forge/ui/#/${name}`);
    await page.getByText(said).waitFor();
    await inspect(page, `empty-${name}`);
  }
  await page.context().close();
});

test('texts that are not kept are not shown, and the page says how they would be', async () => {
  await work(open.address, { turns: 2 });
  const page = await open.open('results');
  await page.getByRole('row', { name: /cargo/ }).getByRole('link').click();
  await page.getByText('content_bytes: 16MiB').waitFor();
  assert.equal(await page.getByRole('table', { name: /beside/ }).count(), 0);
  assert.doesNotMatch(await page.content(), /case_number_7/);
  await inspect(page, 'withheld');
  await page.context().close();
});

test('the token is asked for, kept in this tab alone, and asked for again if it is wrong', async () => {
  const page = await guarded.open('overview', { stranger: true });
  page.expectedFaults.push('401');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await inspect(page, 'token');
  await dialog.getByLabel('Admin token').fill('not-it');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('That was not the right one.').waitFor();
  await dialog.getByLabel('Admin token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByText('Nothing has passed yet.').waitFor();
  const kept = await page.evaluate(() => [sessionStorage.getItem('forge.token'), JSON.stringify(localStorage), document.cookie]);
  assert.deepEqual(kept, [TOKEN, '{}', '']);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(`${guarded.address}/_forge/ui/#/tools`);
  await page.getByText('There is no tool server yet.').waitFor();
  await inspect(page, 'empty-tools');
  await page.context().close();
});

test('a keyboard reaches everything', async () => {
  const page = await open.open('overview');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  const press = async (key, times = 1) => { for (let n = 0; n < times; n += 1) await page.keyboard.press(key); };
  await press('Tab');
  assert.equal(await focused(), 'Skip to content');
  await press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await press('Tab', 3);
  assert.equal(await focused(), 'Overview');
  await press('Tab', 6);
  assert.equal(await focused(), 'Tools');
  await press('Enter');
  await page.getByText('weather', { exact: true }).waitFor();
  assert.equal(await focused(), 'Tools', 'the heading of the new page has the focus');
  await press('Tab');
  await press('ArrowRight', 2);
  assert.ok(await page.getByRole('radio', { name: 'TOON' }).isChecked());
  await press('Tab');
  assert.match(await focused(), /^weather/);
  await press('Enter');
  await press('Tab');
  await page.keyboard.type('Oslo');
  await press('Enter');
  await page.locator('.call', { hasText: 'Oslo' }).waitFor();
  await page.waitForFunction(() => document.activeElement.matches('.call summary'));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('no page is shown in the frame of another, and nothing but its own files runs in it', async () => {
  const { headers } = await fetch(`${open.address}/_forge/ui/`);
  assert.match(headers.get('content-security-policy'), /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
  assert.doesNotMatch(headers.get('content-security-policy'), /unsafe/);
});

test('d60 without a link figures are shown, and what needs one says how to get it', async () => {
  const page = await open.open('overview', { stranger: true });
  page.expectedFaults.push('401');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(`${open.address}/_forge/ui/#/settings`);
  await page.locator('#setting-pipes-tool_output-mode').selectOption('safe');
  await page.getByRole('alert').getByText('tokenforge dashboard').waitFor();
  assert.equal((await open.api('config')).pipes.tool_output.mode, 'standard');
  await inspect(page, 'not-signed-in');
  await page.goto(`${open.address}/_forge/ui/#/tools`);
  await page.getByRole('alert').getByText('tokenforge dashboard').waitFor();
  await page.goto(`${open.address}/_forge/ui/#/playground`);
  await page.getByLabel('Output', { exact: true }).fill('[1]');
  await page.getByRole('alert').getByText('tokenforge dashboard').waitFor();
  await page.context().close();
});

test('d60 a link signs one browser in, once, and leaves nothing in the address', async () => {
  const link = await open.link();
  const page = await open.open('overview', { stranger: true });
  page.expectedFaults.push('403');
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForFunction(() => location.hash === '#/overview' && localStorage.getItem('forge.session'));
  const [cookie] = (await page.context().cookies(`${open.address}/_forge/`));
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/_forge/']);
  assert.equal(await page.evaluate(() => document.cookie), '');
  await page.goto(`${open.address}/_forge/ui/#/settings`);
  const mode = page.locator('#setting-pipes-tool_output-mode');
  await mode.selectOption('safe');
  await page.getByText('Changed.').waitFor();
  await mode.selectOption('standard');
  await page.getByText('Changed.').waitFor();
  const second = await open.open('overview', { stranger: true });
  second.expectedFaults.push('403');
  await second.goto('about:blank');
  await second.goto(link);
  await second.getByText('This link was opened before').waitFor();
  assert.equal(await second.evaluate(() => localStorage.getItem('forge.session')), null);
  await page.context().close();
  await second.context().close();
});

// What a page can send without asking first, and what it can read of the answers.
const attack = async (gateway) => {
  const tried = [
    ['_forge/api/stats', {}],
    ['_forge/api/config', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
    ['_forge/api/mcp', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"prefix":"x","command":"/bin/sh"}' }],
    ['_forge/api/mcp/demo/disable', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '' }],
    ['v1/messages', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"model":"m","max_tokens":1,"messages":[]}' }],
    ['mcp', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' }],
  ];
  const all = [];
  for (const [path, options] of tried) {
    for (const mode of ['cors', 'no-cors']) {
      const response = await fetch(`${gateway}/${path}`, { ...options, mode, credentials: 'include' }).catch(() => null);
      all.push(response?.status ?? 0);
    }
  }
  return all;
};

test('d65 a page on another port of this machine, and one whose name was rebound to it, get nowhere', async () => {
  const statuses = [];
  const server = createServer((request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await open.open('overview');
  page.on('response', (response) => response.url().startsWith(open.address) && !response.url().includes('/ui/') && statuses.push([response.url(), response.status()]));
  const { requests } = (await open.api('stats')).counters;
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  statuses.length = 0;
  // Signed in, with the cookie: a page on another port is of the same site.
  const read = await page.evaluate(attack, open.address);
  assert.deepEqual([...new Set(read)], [0], 'nothing can be read');
  assert.ok(statuses.length >= 6, 'they were sent');
  assert.deepEqual(statuses.filter(([, status]) => status !== 403), []);

  const port = new URL(open.address).port;
  const rebound = `http://${REBOUND}:${port}`;
  const answer = await page.goto(`${rebound}/_forge/ui/`);
  assert.equal(answer.status(), 403, 'the page itself is not shown under that name');
  const seen = await page.evaluate(attack, rebound);
  assert.deepEqual([...new Set(seen)], [403]);

  assert.equal((await open.api('stats')).counters.requests, requests, 'nothing reached a model');
  assert.equal((await open.api('mcp')).backends[0].enabled, true);
  server.close();
  await page.context().close();
});
