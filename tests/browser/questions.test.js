// Each question that a person asks the dashboard, one click away, with the figures of `tokenforge gain`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { work } from './agent.js';
import { entry, made, months } from './ledger.js';
import { begin, demo, inspect } from './world.js';

let world;

before(async () => { world = await begin(demo, months()); });
after(() => world.end());

const brief = (number) => new Intl.NumberFormat('en', Math.abs(number) < 10_000 ? {} : { notation: 'compact', maximumFractionDigits: 1 }).format(number);
const dollars = (amount) => `$${amount.toFixed(Math.abs(amount) >= 1 ? 2 : 4)}`;
const card = (page, name) => page.locator('.card', { has: page.getByRole('heading', { name }) }).locator('.figure');
const amount = (page, name) => page.locator('.amount', { has: page.getByText(name, { exact: true }) }).locator('dd').first();

test('after a restart the last 30 days of the ledger are there, in the figures of `tokenforge gain`', async () => {
  await world.restart();
  const page = await world.open('overview', { zone: 'UTC' });
  await page.getByRole('heading', { name: 'Where it was saved' }).waitFor();
  const gain = await world.command('gain', '--days', '30', '--json');
  assert.ok(gain.requests > 50 && gain.cost.saved > 0.1, JSON.stringify(gain.cost));
  assert.equal(await amount(page, 'Would have cost').textContent(), dollars(gain.cost.before));
  assert.equal(await amount(page, 'Cost').textContent(), dollars(gain.cost.after));
  assert.equal(await amount(page, 'Saved').textContent(), dollars(gain.cost.saved));
  assert.equal(await card(page, 'Tokens saved').textContent(), brief(gain.tokens.net));
  assert.equal(await card(page, 'Fetched back').textContent(), brief(gain.tokens.expanded));
  const parts = await page.locator('.shares strong').allTextContents();
  gain.shares.forEach(({ share }, index) => assert.ok(Math.abs(parseFloat(parts[index]) - 100 * share) <= 0.5, `${parts[index]} ${share}`));
  await page.context().close();
});

test('what would it have cost and what did it cost, over time: days without work are gaps', async () => {
  const entries = [...months(), entry(Math.floor(Date.now() / 1000) - 1800, { results: [made('Bash', 'cargo', 900, 100)] })];
  const other = await begin({}, entries);
  const day = (time) => Math.floor(time / 86_400);
  const inAll = () => day(Date.now() / 1000) - day(entries[0].time) + 1;
  const withWork = async () => (await other.command('gain', '--days', '30', '--by', 'day', '--json')).rows.length;
  // As the clock has it before and after: a day may end meanwhile.
  const [allBefore, workBefore] = [inAll(), await withWork()];
  const page = await other.open('overview', { zone: 'UTC' });
  const image = page.getByRole('img', { name: /would have cost and cost in the last 30 days/ });
  await image.waitFor();
  assert.equal(await image.locator('.column').count(), 30, 'a column for each day');
  const bars = await image.locator('path.saved').count();
  assert.ok([workBefore, await withWork()].includes(bars), `and something in it where something was: ${bars}`);
  const where = await image.locator('path.saved').evaluateAll((bars) => bars.map((bar) => bar.getBBox().x));
  const gaps = where.slice(1).map((x, index) => x - where[index]);
  assert.ok(Math.max(...gaps) > 5 * Math.min(...gaps), `time is to scale: ${gaps}`);
  for (const [range, name, columns] of [['24 hours', 'in the last 24 hours', 24], ['7 days', 'in the last 7 days', 7], ['All', 'since the first entry', allBefore]]) {
    await page.getByRole('radio', { name: range }).check();
    const chart = page.getByRole('img', { name: `would have cost and cost ${name}` });
    await chart.waitFor();
    const drawn = await chart.locator('.column').count();
    assert.ok(drawn === columns || (range === 'All' && drawn === inAll()), `${range}: ${drawn}`);
    assert.ok(await chart.locator('path.saved').count() > 0, range);
  }
  assert.match(page.url(), /range=all/, 'the range is in the address');
  const gain = await other.command('gain', '--json');
  await page.waitForFunction((said) => document.querySelector('.amount.before dd')?.textContent === said, dollars(gain.cost.before));
  await other.end();
});

test('an answer that comes late does not replace that of a later choice', async () => {
  const shape = () => JSON.stringify([document.querySelectorAll('main tbody tr').length, document.querySelector('main .panel h2')?.textContent]);
  const whole = /_forge\/api\/(sessions|fetches|gain|history)\?(?!.*since=)/;
  for (const name of ['sessions', 'fetched', 'untouched']) {
    const page = await world.open(name, { zone: 'UTC' });
    await page.locator('main').locator('tbody tr, details').first().waitFor();
    const month = await page.evaluate(shape);
    const held = [];
    let release;
    const released = new Promise((resolve) => { release = resolve; });
    await page.route(whole, async (route) => {
      held.push(route.request());
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest(whole);
    await page.getByRole('radio', { name: 'All' }).check();
    await asked;
    await page.getByRole('radio', { name: '7 days' }).check();
    await page.waitForFunction((other) => JSON.stringify([document.querySelectorAll('main tbody tr').length, document.querySelector('main .panel h2')?.textContent]) !== other, month);
    const week = await page.evaluate(shape);
    release();
    for (const request of held) await (await request.response())?.finished();
    await page.evaluate(async () => (await fetch('/_forge/api/stats')).json());
    assert.equal(await page.evaluate(shape), week, name);
    await page.context().close();
  }
});

test('there is no share of a loss', async () => {
  const fetched = { tool: 'Bash', program: 'cargo', stages: ['clean'], results: 0, before: 0, after: 0, expanded: 2000 };
  const other = await begin({}, [entry(Math.floor(Date.now() / 1000) - 60, { results: [made('Bash', 'cargo', 900, 100), made('Read', null, 500, 400), fetched] })]);
  const page = await other.open('overview?range=all');
  const table = page.getByRole('table', { name: 'By tool' });
  await table.waitFor();
  assert.deepEqual(await table.locator('tbody tr td.share').allTextContents(), ['–', '–']);
  await other.end();
});

test('days are those of the person who looks', async () => {
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  const late = today - 2 * 86_400 - 1800;
  const other = await begin({}, [entry(late, { results: [made('Bash', 'cargo', 900, 100)] }), entry(late + 3600, { results: [made('Bash', 'cargo', 900, 100)] })]);
  const columns = async (zone) => {
    const page = await other.open('overview?range=all', { zone });
    await page.getByText('As a table').click();
    const days = await page.locator('.as-table tbody th').allTextContents();
    await page.context().close();
    return days;
  };
  assert.equal((await columns('UTC')).length, 2, 'half past eleven, and half past midnight');
  assert.equal((await columns('Asia/Tokyo')).length, 1, 'the same morning in Tokyo');
  await other.end();
});

test('which tools, projects, models and clients: sorted, with their share, and a click filters', async () => {
  const page = await world.open('overview', { zone: 'UTC' });
  for (const [tab, by] of [['Tools', 'tool'], ['Projects', 'project'], ['Models', 'model'], ['Clients', 'client']]) {
    await page.getByRole('radio', { name: tab }).check();
    const table = page.getByRole('table', { name: `By ${by}` });
    const { rows, tokens } = await world.command('gain', '--days', '30', '--by', by, '--json');
    const found = rows.filter((row) => row.results > 0);
    assert.deepEqual(await table.locator('tbody th').allTextContents(), found.map((row) => row.name), by);
    const cells = await table.locator('tbody tr').first().locator('td').allTextContents();
    assert.equal(cells[0], new Intl.NumberFormat('en').format(found[0].results));
    assert.equal(parseFloat(cells[5]), Math.round((100 * found[0].net) / tokens.net));
  }
  const table = page.getByRole('table', { name: 'By client' });
  await table.getByRole('button', { name: 'client' }).click();
  assert.equal(await table.getByRole('columnheader', { name: 'client' }).getAttribute('aria-sort'), 'ascending');
  assert.deepEqual(await table.locator('tbody th').allTextContents(), ['claude-cli', 'codex_cli_rs']);
  await table.getByRole('link', { name: 'codex_cli_rs' }).click();
  const only = await world.api('gain?client=codex_cli_rs&days=30');
  await page.waitForFunction((said) => document.querySelector('.amount.before dd')?.textContent === said, dollars(only.cost.before));
  assert.equal(await page.getByLabel('Client', { exact: true }).inputValue(), 'codex_cli_rs');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByLabel('Find').fill('carg');
  const cargo = await world.api('gain?text=carg&days=30');
  await page.waitForFunction((said) => document.querySelector('.amount.saved dd')?.textContent === said, brief(cargo.tokens.net));
  await page.context().close();
});

test('what happened in this session, turn by turn', async () => {
  const page = await world.open('overview', { zone: 'UTC' });
  await page.getByRole('link', { name: 'Sessions' }).first().click();
  const rows = page.getByRole('table', { name: /^Sessions/ }).locator('tbody tr');
  const { sessions } = await world.api('sessions?days=30');
  await rows.first().waitFor();
  assert.equal(await rows.count(), sessions.length);
  await rows.first().getByRole('link').click();
  await page.getByRole('heading', { name: '4 turns, the latest first' }).waitFor();
  const turns = page.locator('.turn');
  assert.equal(await turns.count(), 4);
  assert.match(await turns.last().textContent(), /Turn 1.*Bash · cargo5,200 → 900 tokens/);
  assert.match(await turns.nth(1).textContent(), /Bash · git60 tokenstoo short.*Edit300 tokensfile kept exact.*2 earlier results sent again/);
  const { cost } = await world.api(`sessions/${sessions[0].id}`);
  await page.getByText(`${dollars(cost.after)} instead of ${dollars(cost.before)}`).first().waitFor();
  await page.context().close();
});

test('what did it fetch back', async () => {
  const page = await world.open('overview', { zone: 'UTC' });
  await page.getByRole('link', { name: 'Fetched back' }).first().click();
  const { fetches } = await world.api('fetches?days=30');
  const rows = page.getByRole('table', { name: /^Calls/ }).locator('tbody tr');
  await rows.first().waitFor();
  assert.ok(fetches.length > 2);
  assert.equal(await rows.count(), fetches.length);
  assert.match(await rows.first().textContent(), /Bash · cargo.*some lines340/);
  await rows.first().getByRole('link').click();
  await page.locator('.fetch', { hasText: '340 tokens of Bash · cargo' }).waitFor();
  await page.context().close();
});

test('which results went through untouched, and why', async () => {
  const page = await world.open('overview', { zone: 'UTC' });
  await page.getByRole('link', { name: 'Untouched' }).first().click();
  const { rows } = await world.api('gain?by=reason&days=30');
  const short = rows.find((row) => row.name === 'too_small');
  const reason = page.locator('details', { hasText: 'Too short' });
  await reason.getByText(`${short.results} results`).waitFor();
  await reason.locator('summary').click();
  await reason.locator('.inner').getByText('Bash').waitFor();
  assert.equal(await page.getByText('file kept exact', { exact: false }).count(), 1);
  await page.context().close();
});

test('what did the model see instead of this result: before and after, without its secret, with nothing set', async () => {
  const page = await world.open('results');
  await work(world.address, { project: 'live', session: 'live' });
  await page.getByRole('row', { name: /cargo/ }).first().getByRole('link').click();
  const beside = page.getByRole('table', { name: 'What the tool wrote beside What the model saw' });
  await beside.waitFor();
  assert.match(await beside.textContent(), /case_number_7 /);
  await page.getByRole('link', { name: 'Close' }).click();
  await page.getByRole('row', { name: /env/ }).first().getByRole('link').click();
  await beside.getByText('GITHUB_TOKEN').first().waitFor();
  assert.doesNotMatch(await page.content(), /ghp_/);
  await page.getByText('Secrets removed').waitFor();
  await page.getByRole('link', { name: 'Close' }).click();
  await page.locator('.detail').waitFor({ state: 'hidden' });
  await page.context().close();
});

test('who is not signed in sees the figures of a result, and no text', async () => {
  const page = await world.open('results', { stranger: true });
  page.expectedFaults.push('401');
  await page.getByRole('row', { name: /cargo/ }).first().getByRole('link').click();
  await page.getByRole('alert').getByText('tokenforge dashboard').waitFor();
  assert.doesNotMatch(await page.content(), /case_number_7/);
  await page.context().close();
});

test('results and sums are live, and filters choose among them', async () => {
  const page = await world.open('results');
  const rows = page.locator('tbody tr');
  const cargo = page.getByRole('row', { name: /cargo/ });
  await cargo.first().waitFor();
  const before = await rows.count();
  await work(world.address, { project: 'other', session: `s${Date.now()}`, turns: 2 });
  await page.getByRole('radio', { name: 'All', exact: true }).check();
  await page.waitForFunction((least) => document.querySelectorAll('tbody tr').length > least, before);
  assert.ok(await page.getByText('sent again').count() > 0);
  await page.getByRole('radio', { name: 'New' }).check();
  await page.getByLabel('Find').fill('cargo');
  await page.waitForFunction(() => [...document.querySelectorAll('tbody th')].every((row) => row.textContent.includes('cargo')));
  await page.getByLabel('Find').fill('');
  await page.getByRole('radio', { name: 'Untouched' }).check();
  await page.getByRole('row', { name: /too short/ }).first().waitFor();
  await page.goto(`${world.address}/_forge/ui/#/overview`);
  const { requests } = await world.api('gain?days=30');
  await page.getByText(new RegExp(`in ${requests} requests`)).waitFor();
  await work(world.address, { session: 'more', turns: 1 });
  await page.getByText(new RegExp(`in ${requests + 1} requests`)).waitFor();
  await page.context().close();
});

test('a session is shown again once the gateway answers again', async () => {
  const page = await world.open('sessions', { zone: 'UTC' });
  await page.getByRole('table', { name: /^Sessions/ }).locator('tbody a').last().click();
  const turns = page.getByRole('heading', { name: /turns, the latest first/ });
  await turns.waitFor();
  for (const [status, said] of [[500, page.getByRole('alert')], [404, page.getByText('This session is not in the ledger.')]]) {
    await page.route('**/_forge/api/sessions/*', (route) => route.fulfill({ status, json: { error: { message: 'not now' } } }));
    await work(world.address, { session: `while ${status}`, turns: 1 });
    await said.waitFor();
    await page.unroute('**/_forge/api/sessions/*');
    await work(world.address, { session: `after ${status}`, turns: 1 });
    await turns.waitFor();
  }
  await page.context().close();
});

test('u2 tools that were declared and never called are named with their price, by agent and tool server', async () => {
  const tool = (name, tokens) => ({ name, tokens });
  const tools = { list: '0123456789abcdef', declared: [tool('Bash', 900), tool('mcp__github__list_issues', 400), tool('mcp__github__merge', 700), tool('Workflow', 1500)], called: [0, 1] };
  const now = Math.floor(Date.now() / 1000);
  const { declared, ...again } = tools;
  const other = await begin({}, [entry(now - 120, { results: [made('Bash', 'cargo', 900, 100)], tools }), entry(now - 60, { results: [made('Bash', 'cargo', 900, 100)], tools: again })]);
  const page = await other.open('overview', { zone: 'UTC' });
  const table = page.getByRole('table', { name: 'Tools never called' });
  await table.waitFor();
  assert.deepEqual(await table.locator('tbody th').allTextContents(), ['Workflow', 'mcp__github__merge'], 'the dearest first');
  const { declarations } = await other.command('gain', '--json');
  assert.equal(declarations.requests, 2);
  assert.deepEqual(await table.locator('tbody td:last-child').allTextContents(), declarations.unused.map(({ cost }) => dollars(cost)));
  const panel = page.locator('#unused-tools');
  assert.match(await panel.locator('h2').textContent(), /^2 of 4 declared tools never called$/);
  assert.match(await panel.locator('li', { hasText: 'github' }).textContent(), /^github \(claude-cli\) 1 of 2 tools/);
  await inspect(page, 'unused-tools');
  await page.context().close();
  await other.end();
});

test('a ledger that is off is said, and the figures since the start are shown', async () => {
  const other = await begin({ ledger: false });
  await work(other.address, { turns: 2 });
  const page = await other.open('overview');
  page.expectedFaults.push('404');
  await page.getByText('The ledger is off').waitFor();
  assert.notEqual(await card(page, 'Tokens saved').textContent(), '0');
  await inspect(page, 'without-ledger');
  await page.context().close();
  await other.end();
});
