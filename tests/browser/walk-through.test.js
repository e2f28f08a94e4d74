// `tokenforge demo`: turn on TOON, ask about the weather, run a search, open the card.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { beginDemo, inspect } from './world.js';

let world;

before(async () => { world = await beginDemo(); });
after(() => world.end());

test('a5 the toggle is sent as X-Prefer-Format, and the card shows X-Content-Format and the result in that form', async () => {
  const page = await world.open('tools');
  await page.getByRole('radio', { name: 'TOON' }).check();
  await page.reload();
  assert.ok(await page.getByRole('radio', { name: 'TOON' }).isChecked(), 'the toggle is remembered');

  const called = async (tool, fields) => {
    await page.getByText(tool, { exact: true }).click();
    for (const [name, value] of Object.entries(fields)) await page.getByLabel(name).fill(value);
    const [request] = await Promise.all([
      page.waitForRequest((asked) => asked.url().includes('/mcp/demo')),
      page.getByRole('button', { name: `Call ${tool}` }).click(),
    ]);
    const card = page.locator(`.call[data-tool="${tool}"]`).first();
    await card.waitFor();
    return { sent: await request.allHeaders(), answer: await request.response(), card };
  };

  const weather = await called('weather', { city: 'London' });
  assert.equal(weather.sent['x-prefer-format'], 'toon');
  assert.equal((await weather.answer.allHeaders())['x-content-format'], 'toon');
  assert.equal(await weather.card.locator('[data-header="x-content-format"]').textContent(), 'toon');
  const shown = (card, form) => card.getByRole('region', { name: `Answer as ${form}` });
  const toon = await shown(weather.card, 'TOON').textContent();
  assert.match(toon, /forecast\[7\]\{[^}]*high,low[^}]*\}:\n/);
  assert.match(toon, /city: London/);
  await weather.card.getByRole('radio', { name: 'JSON' }).check();
  const json = await shown(weather.card, 'JSON').textContent();
  assert.match(json, /^\{\n {2}"/);
  assert.equal(JSON.parse(json).location.city, 'London');
  assert.equal(JSON.parse(json).forecast.length, 7);
  await weather.card.getByRole('radio', { name: 'STC' }).check();
  assert.match(await shown(weather.card, 'STC').textContent(), /London/);
  await inspect(page, 'walk-through-weather');

  const search = await called('search', { query: 'token formats' });
  assert.equal(search.sent['x-prefer-format'], 'toon');
  assert.equal(await search.card.locator('[data-header="x-content-format"]').textContent(), 'toon');
  assert.match(await shown(search.card, 'TOON').textContent(), /\[10\]\{/);

  await page.getByRole('group', { name: 'Preferred format' }).getByRole('radio', { name: 'JSON' }).check();
  await page.getByRole('button', { name: 'Call weather' }).click();
  const plain = page.locator('.call').first();
  await plain.locator('[data-header="x-content-format"]', { hasText: 'json' }).waitFor();
  assert.match(await shown(plain, 'JSON').textContent(), /^\{\n {2}"/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('the session that was played is there to be looked at', async () => {
  const page = await world.open('overview');
  await page.getByRole('row', { name: /demo__weather/ }).waitFor();
  await inspect(page, 'demo-overview');
  await page.goto(`${page.url().split('#')[0]}#/results`);
  await page.getByRole('row').getByRole('link').first().click();
  await page.getByRole('table', { name: /beside/ }).waitFor();
  await inspect(page, 'demo-result');
  await page.context().close();
});
