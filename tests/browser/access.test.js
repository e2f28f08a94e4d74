// Who gets in, what there is before anything has passed, and what a keyboard reaches.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { work } from './agent.js';
import { begin, demo, inspect } from './world.js';

const TOKEN = 'the-admin-token-of-this-test';
let open;
let guarded;

before(async () => {
  open = await begin(demo);
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
  await page.goto(`${open.address}/_forge/ui/#/requests`);
  await page.getByText('No result has passed yet.').waitFor();
  await inspect(page, 'empty-requests');
  await page.context().close();
});

test('texts that are not kept are not shown, and the page says how they would be', async () => {
  await work(open.address, { turns: 2 });
  const page = await open.open('requests');
  await page.getByRole('row', { name: /cargo/ }).getByRole('link').click();
  await page.getByText('content_bytes: 16MiB').waitFor();
  assert.equal(await page.getByRole('table', { name: /beside/ }).count(), 0);
  assert.doesNotMatch(await page.content(), /case_number_7/);
  await inspect(page, 'withheld');
  await page.context().close();
});

test('the token is asked for, kept in this tab alone, and asked for again if it is wrong', async () => {
  const page = await guarded.open('overview');
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
  await press('Tab', 3);
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
