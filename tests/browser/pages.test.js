// Every page with real traffic behind it, in both themes, on a desktop and on a phone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { work } from './agent.js';
import { begin, demo, DEVICES, inspect, THEMES } from './world.js';

let world;

before(async () => {
  world = await begin({ ...demo, monitoring: { content_bytes: '16MiB' }, pipes: { tool_output: { min_bytes: '4KiB' } } });
  await work(world.address, { project: 'webshop' });
  await work(world.address);
});
after(() => world.end());

// What to do on a page before it is looked at.
const PAGES = {
  overview: (page) => page.getByRole('heading', { name: 'Cache stability' }).waitFor(),
  requests: (page) => page.getByRole('row').nth(4).waitFor(),
  result: async (page) => {
    await page.getByRole('row', { name: /cargo/ }).first().getByRole('link').click();
    await page.getByRole('table', { name: /beside/ }).waitFor();
  },
  playground: async (page) => {
    await page.getByRole('button', { name: 'A list as JSON' }).click();
    await page.getByRole('heading', { name: 'Forms' }).waitFor();
  },
  tools: async (page) => {
    await page.getByText('weather', { exact: true }).click();
    await page.getByLabel('city').fill('London');
    await page.getByRole('radio', { name: 'STC' }).check();
    await page.getByRole('button', { name: 'Call weather' }).click();
    await page.locator('.call').waitFor();
  },
  settings: (page) => page.getByText('pipes.tool_output.mode', { exact: true }).waitFor(),
};

for (const device of Object.keys(DEVICES)) {
  for (const theme of THEMES) {
    for (const [name, prepare] of Object.entries(PAGES)) {
      test(`${name} is sound on a ${device} in ${theme}`, async () => {
        const page = await world.open(name === 'result' ? 'requests' : name, { theme, device });
        await prepare(page);
        await inspect(page, `${name}-${theme}-${device}`);
        await page.context().close();
      });
    }
  }
}

test('c13 the overview shows the figures of the gateway, and follows them', async () => {
  const page = await world.open('overview');
  const { tokens, counters } = await world.api('stats');
  const figure = (name) => page.locator('.card', { has: page.getByRole('heading', { name }) }).locator('.figure');
  const shown = (number) => new Intl.NumberFormat('en', Math.abs(number) < 10_000 ? {} : { notation: 'compact', maximumFractionDigits: 1 }).format(number);
  await figure('Tokens saved').waitFor();
  assert.equal(await figure('Tokens saved').textContent(), shown(tokens.saved_fresh - tokens.expanded));
  assert.equal(await figure('Saved again').textContent(), shown(tokens.saved_repeated));
  assert.equal(await figure('Tool results').textContent(), shown(counters.cache_misses));
  await work(world.address, { turns: 1 });
  await page.getByText(`in ${counters.requests + 1} requests`).waitFor();
  await page.context().close();
});

test('c13 the days behind come from the ledger, and say what they are a part of', async () => {
  const page = await world.open('overview');
  await page.getByRole('radio', { name: '7 days' }).check();
  await page.getByRole('heading', { name: 'How much that is' }).waitFor();
  const { tokens, shares, rows } = await world.api('gain?by=tool&days=7');
  const figure = page.locator('.card', { has: page.getByRole('heading', { name: 'Tokens saved' }) }).locator('.figure');
  assert.equal(await figure.textContent(), new Intl.NumberFormat('en').format(tokens.net));
  assert.equal(await page.locator('dt', { hasText: /^of / }).count(), shares.length);
  const most = rows.reduce((one, other) => (other.before > one.before ? other : one));
  const cells = page.getByRole('table', { name: 'By tool' }).locator('tbody tr').first().locator('td');
  const saved = parseFloat(await cells.nth(3).textContent());
  assert.ok(Math.abs(saved - (100 * most.net) / most.before) <= 0.5, `net, as the lead says: ${saved}`);
  await page.getByRole('heading', { name: 'By client' }).waitFor();
  await inspect(page, 'overview-days');
  await page.context().close();
});

test('requests are told as they come, and repeated results only to who asks', async () => {
  const page = await world.open('requests');
  await page.getByRole('row').nth(1).waitFor();
  const count = () => page.locator('tbody tr').count();
  const fresh = await count();
  await work(world.address, { project: `p${Date.now()}`, turns: 2 });
  await page.getByRole('radio', { name: 'All results' }).check();
  await page.waitForFunction((least) => document.querySelectorAll('tbody tr').length > least, fresh);
  assert.ok(await page.getByText('sent again').count() > 0);
  await page.context().close();
});

test('a result is opened as it came beside what went on, without its secret', async () => {
  const page = await world.open('requests');
  await page.getByRole('row', { name: /env/ }).first().getByRole('link').click();
  const beside = page.getByRole('table', { name: /beside/ });
  await beside.waitFor();
  assert.match(await beside.textContent(), /GITHUB_TOKEN/);
  assert.doesNotMatch(await page.content(), /ghp_/);
  await page.getByText('Secrets removed').waitFor();
  await page.getByRole('link', { name: 'Close' }).click();
  await beside.waitFor({ state: 'detached' }).catch(() => {});
  assert.equal(await page.locator('.detail').isVisible(), false);
  await page.context().close();
});

test('the playground takes what is typed or dropped, and remembers the form', async () => {
  const page = await world.open('playground');
  await page.getByLabel('Output', { exact: true }).fill('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]');
  await page.getByRole('heading', { name: 'Forms' }).waitFor();
  await page.getByRole('radio', { name: 'TOON' }).check();
  await page.getByRole('region', { name: 'TOON' }).getByText('{a,b}').waitFor();
  await page.getByRole('radio', { name: 'JSON, pretty' }).check();
  assert.match(await page.getByRole('region', { name: 'JSON, pretty' }).textContent(), /\n {4}"a": 1,/);
  await page.getByRole('radio', { name: 'STC', exact: true }).check();
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['{"dropped": [1, 2, 3]}'], 'output.json'));
    return transfer;
  });
  await page.getByLabel('Output', { exact: true }).dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByRole('region', { name: 'STC', exact: true }).getByText('dropped').waitFor();
  await page.getByLabel('Output', { exact: true }).fill('plain words');
  await page.getByText('This output is not JSON').waitFor();
  await page.context().close();
});

test('settings say where they are from, can be changed, and say what is wrong', async () => {
  const page = await world.open('settings');
  const setting = (path) => page.locator('.setting', { has: page.getByText(path, { exact: true }) });
  await setting('pipes.tool_output.min_bytes').getByText('tokenforge.yaml, line').waitFor();
  await setting('listen').getByText('flag --listen').waitFor();
  await page.getByLabel('pipes.tool_output.mode', { exact: true }).selectOption('lossless');
  await setting('pipes.tool_output.mode').getByText('changed while running').waitFor();
  assert.equal((await world.api('config')).pipes.tool_output.mode, 'lossless');
  await setting('pipes.tool_output.mode').getByRole('button', { name: /the default of/ }).click();
  await setting('pipes.tool_output.mode').locator('.tag', { hasText: /^default$/ }).waitFor();
  assert.equal((await world.api('config')).pipes.tool_output.mode, 'standard');
  page.expectedFaults.push('400');
  await page.getByRole('textbox', { name: 'pipes.tool_output.target_ratio' }).fill('7');
  await page.getByRole('button', { name: 'Apply pipes.tool_output.target_ratio' }).click();
  await setting('pipes.tool_output.target_ratio').getByRole('alert').waitFor();
  await inspect(page, 'settings-refused');
  await page.context().close();
});

test('the theme is remembered', async () => {
  const page = await world.open('overview', { theme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: /Theme/ }).click();
  await page.getByRole('button', { name: /Theme: light/ }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await ground(), dark);
  await page.context().close();
});

test('a tool that fails says so', async () => {
  const page = await world.open('tools');
  await page.getByText('broken', { exact: true }).click();
  await page.getByRole('button', { name: 'Call broken' }).click();
  await page.locator('.call').getByText('failed').waitFor();
  await page.locator('.call').getByText('the service is down').waitFor();
  await page.context().close();
});
