// Every page with real traffic behind it, in both themes, on a desktop and on a phone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { work } from './agent.js';
import { months } from './ledger.js';
import { begin, demo, DEVICES, inspect, THEMES } from './world.js';

let world;

before(async () => {
  world = await begin({ ...demo, pipes: { tool_output: { min_bytes: '4KiB' } } }, months());
  await work(world.address, { project: 'webshop', session: 'one' });
  await work(world.address, { session: 'two' });
});
after(() => world.end());

// What to do on a page before it is looked at.
const PAGES = {
  overview: (page) => page.getByRole('heading', { name: 'Where it was saved' }).waitFor(),
  sessions: (page) => page.getByRole('row').nth(4).waitFor(),
  session: async (page) => {
    await page.getByRole('link', { name: 'webshop · test-agent' }).click();
    await page.getByRole('heading', { name: 'Turn 5' }).waitFor();
  },
  results: (page) => page.getByRole('row').nth(4).waitFor(),
  result: async (page) => {
    await page.getByRole('row', { name: /cargo/ }).first().getByRole('link').click();
    await page.getByRole('table', { name: /beside/ }).waitFor();
  },
  untouched: (page) => page.getByRole('heading', { name: 'The latest of them' }).waitFor(),
  fetched: (page) => page.getByRole('row').nth(2).waitFor(),
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
const STARTS = { result: 'results', session: 'sessions' };

for (const device of Object.keys(DEVICES)) {
  for (const theme of THEMES) {
    for (const [name, prepare] of Object.entries(PAGES)) {
      test(`${name} is sound on a ${device} in ${theme}`, async () => {
        const page = await world.open(STARTS[name] ?? name, { theme, device });
        await prepare(page);
        await inspect(page, `${name}-${theme}-${device}`);
        await page.context().close();
      });
    }
  }
}

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

test('settings: the main ones first, the rest under Advanced, and a search finds both', async () => {
  const page = await world.open('settings');
  const path = (name) => page.locator('.settings').getByText(name, { exact: true });
  await path('pipes.tool_output.mode').waitFor();
  const main = await page.locator('.setting:visible').count();
  assert.ok(main >= 15 && main <= 25, `${main} main settings`);
  assert.equal(await path('limits.write_timeout').isVisible(), false);
  await page.getByText('Advanced').click();
  await path('limits.write_timeout').waitFor();
  assert.equal(await page.locator('.setting').count(), (await world.api('settings')).settings.length, 'each is there once');
  await page.getByLabel('Find a setting').fill('secrets');
  await page.waitForFunction(() => document.querySelectorAll('.setting').length < 12);
  await path('pipes.tool_output.redact_secrets').waitFor();
  await page.context().close();
});

test('settings say where they are from, can be changed, and say what is wrong', async () => {
  const page = await world.open('settings');
  await page.getByText('Advanced').click();
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
