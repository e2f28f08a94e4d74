// What was saved: now and over time, by tool, stage and client.

import { api, GATEWAY } from '../parts/api.js';
import { bar, columns } from '../parts/chart.js';
import { choice, empty, fill, h, problem } from '../parts/element.js';
import { listen } from '../parts/events.js';
import { brief, bytes, count, dollars, percent, words } from '../parts/figures.js';
import { command } from '../parts/texts.js';

export const title = 'Overview';
export const lead = 'What the gateway saved, net of what models asked for again.';

const PERIODS = [['now', 'Since start'], ['7', '7 days'], ['30', '30 days'], ['365', 'A year']];
const SHARES = { 'outputs touched': 'of the outputs touched', 'whole context': 'of the whole context', bill: 'of the bill' };
const AT_MOST_EVERY = 700;
const AT_LEAST_EVERY = 15_000;

export async function show(page, { signal }) {
  let period = 'now';
  const periods = h('div', { class: 'row' });
  const content = h('div', { class: 'stack' });
  fill(page, periods, content);

  let isOffered = false;
  const refresh = async () => {
    try {
      const stats = await api('stats', { signal });
      if (stats.has_ledger && !isOffered) {
        isOffered = true;
        fill(periods, choice('Period', PERIODS, period, (chosen) => {
          period = chosen;
          refresh();
        }));
      }
      const view = period === 'now' ? now(stats) : await past(period, signal);
      draw(content, view, stats);
    } catch (error) {
      if (error.name !== 'AbortError') fill(content, problem(error));
    }
  };
  await refresh();
  follow(refresh, signal);
}

// Refreshes when something passes, not too often, and now and then in any case.
function follow(refresh, signal) {
  let waiting = null;
  const soon = () => {
    waiting ??= setTimeout(() => {
      waiting = null;
      if (!document.hidden) refresh();
    }, AT_MOST_EVERY);
  };
  listen((event) => event && soon(), signal);
  const timer = setInterval(() => document.hidden || refresh(), AT_LEAST_EVERY);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    clearTimeout(waiting);
  });
}

// The figures since the gateway started. A result counts when it first comes, as in the ledger.
function now(stats) {
  const { counters, tokens } = stats;
  const rows = (table) => Object.entries(table).map(([name, row]) => ({
    name, results: row.fresh, before: row.fresh_tokens_before, after: row.fresh_tokens_after,
    saved: row.fresh_tokens_before - row.fresh_tokens_after,
  }));
  return {
    requests: counters.requests, results: counters.cache_misses,
    before: counters.fresh_tokens_before, expanded: tokens.expanded, net: tokens.saved_fresh - tokens.expanded,
    again: tokens.saved_repeated, money: stats.dollars?.saved_net ?? null,
    bill: stats.dollars?.bill, subscriptions: stats.dollars?.requests_of_subscriptions ?? 0,
    shares: null,
    series: { title: 'Tokens of new tool results in the last hour', points: minutes(stats.minutes) },
    tables: {
      tool: rows(stats.tools),
      stage: Object.entries(stats.stages).map(([name, times]) => ({ name: words(name), results: times })),
      client: rows(stats.projects),
    },
    clients: 'project',
    // Nobody counts here of which tool or project it was that something was fetched back.
    saved: tokens.expanded > 0 ? 'saved, gross' : 'saved',
  };
}

function minutes(known) {
  const points = Array.from({ length: 60 }, (_, index) => ({ ago: 59 - index, before: 0, after: 0 }));
  for (const minute of known ?? []) {
    const point = points[59 - minute.minutes_ago];
    if (point) Object.assign(point, { before: minute.tokens_before, after: minute.tokens_after });
  }
  return points.map((point) => ({ ...point, label: point.ago === 0 ? 'now' : `−${point.ago} min` }));
}

// The figures of the ledger.
async function past(days, signal) {
  const by = (kind) => api(`gain?by=${kind}&days=${days}`, { signal });
  const [tool, stage, client, day] = await Promise.all(['tool', 'stage', 'client', 'day'].map(by));
  const points = day.rows.map((row) => ({ label: row.name.slice(5), before: row.before, after: row.after }));
  const net = ({ rows }) => rows.map((row) => ({ ...row, saved: row.net }));
  return {
    requests: tool.requests, results: tool.results,
    before: tool.tokens.before, expanded: tool.tokens.expanded, net: tool.tokens.net,
    again: tool.repeated ? tool.repeated.before - tool.repeated.after : 0,
    money: tool.cost ? tool.cost.saved + (tool.cost.saved_elsewhere ?? 0) : null,
    bill: tool.cost, subscriptions: tool.subscription_requests ?? 0,
    shares: tool.shares,
    series: { title: 'Tokens of new tool results by day', points },
    tables: { tool: net(tool), stage: net(stage).map((row) => ({ ...row, name: words(row.name) })), client: net(client) },
    clients: 'client', saved: 'saved',
  };
}

function draw(content, view, stats) {
  if (view.results === 0) return fill(content, first());
  fill(content,
    h('div', { class: 'cards' },
      card('Tokens saved', brief(view.net), `${percent(view.net, view.before)} of ${brief(view.before)} in tool results, each counted once`, 'good'),
      card('Saved again', brief(view.again), 'tokens, as agents sent the same results with later requests'),
      card('Money saved', view.money == null ? '–' : dollars(view.money), money(view)),
      card('Tool results', brief(view.results), `in ${count(view.requests)} requests${view.expanded > 0 ? `; ${brief(view.expanded)} tokens were fetched back, and are taken off` : ''}`)),
    h('section', { class: 'panel' }, h('h2', {}, view.series.title),
      view.series.points.length > 0 ? columns(view.series.title, view.series.points) : h('p', { class: 'muted' }, 'No day has passed yet.')),
    view.shares && shares(view.shares),
    table('By tool', 'tool', view.tables.tool, view.saved),
    h('div', { class: 'halves' },
      table('By stage', 'stage', view.tables.stage, view.saved),
      view.tables.client.length > 0
        ? table(`By ${view.clients}`, view.clients, view.tables.client, view.saved)
        : h('section', { class: 'panel' }, h('h2', {}, 'By project'),
          h('p', { class: 'muted' }, 'A project has figures of its own if its agent uses an address with its name:'),
          command(new URL('p/NAME', GATEWAY).href))),
    stability(stats));
}

// What the money is a part of, or why there is none. `tokenforge gain --cost` says the same.
function money({ money: saved, bill, subscriptions }) {
  if (saved == null) return subscriptions > 0 ? 'with a subscription no token has a price' : 'no price is known for these models';
  if (!bill?.requests) return 'at list prices, new and repeated results';
  return `${percent(bill.saved, bill.before)} of a bill of ${dollars(bill.before)}, at list prices`;
}

function card(name, figure, about, kind = '') {
  return h('section', { class: `card ${kind}` }, h('h2', {}, name), h('p', { class: 'figure' }, figure), h('p', { class: 'muted' }, about));
}

function table(caption, kind, rows, saved) {
  const sorted = [...rows].sort((a, b) => (b.before ?? b.results) - (a.before ?? a.results)).slice(0, 20);
  const most = Math.max(0, ...sorted.map((row) => row.before ?? 0));
  const isMeasured = most > 0;
  const heads = isMeasured
    ? [[kind], ['results', 'n'], ['tokens', 'n wide'], ['forwarded', 'n wide'], [saved, 'n'], ['share', 'wide share']]
    : [[kind], ['times', 'n']];
  const cells = (row) => [
    h('th', { scope: 'row' }, row.name || 'unknown'),
    h('td', { class: 'n' }, count(row.results)),
    ...(isMeasured ? [
      h('td', { class: 'n wide' }, count(row.before)), h('td', { class: 'n wide' }, count(row.after)),
      h('td', { class: 'n' }, percent(row.saved, row.before)), h('td', { class: 'wide share' }, bar(row.saved, row.before, most)),
    ] : []),
  ];
  return h('section', { class: 'panel' }, h('h2', {}, caption),
    sorted.length === 0 ? h('p', { class: 'muted' }, 'Nothing yet.') : h('table', {},
      h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, ...heads.map(([name, style]) => h('th', { scope: 'col', class: style }, name)))),
      h('tbody', {}, ...sorted.map((row) => h('tr', {}, ...cells(row))))));
}

// Four ways to say how much it was: they differ by what they are a part of.
function shares(all) {
  return h('section', { class: 'panel' }, h('h2', {}, 'How much that is'),
    h('dl', { class: 'facts' }, ...all.map((share) => h('div', {}, h('dt', {}, SHARES[share.of] ?? `of ${share.of}`),
      h('dd', {}, share.share == null ? 'not known' : percent(share.share, 1))))));
}

// Whether providers found their cached prefix again.
function stability({ counters, store }) {
  // Providers differ in whether cached input is part of the input, so that no share is told.
  const cached = `${brief(counters.cache_read_tokens)} read, ${brief(counters.cache_write_tokens)} written`;
  const facts = [
    ['Results sent again, byte for byte as before', count(counters.cache_hits)],
    ['Results that took too long, and went on as they came', count(counters.deadlines_passed)],
    ['Tokens of providers’ caches, as they count them', cached],
    ['Originals that can be fetched back', store ? `${count(store.entries)} (${bytes(store.bytes)})` : 'the store does not answer'],
  ];
  return h('section', { class: 'panel' }, h('h2', {}, 'Cache stability'),
    h('dl', { class: 'facts' }, ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));
}

function first() {
  const address = GATEWAY.href.replace(/\/$/, '');
  return empty('Nothing has passed yet.',
    h('p', {}, 'Point an agent at this gateway and work as always:'),
    command(`ANTHROPIC_BASE_URL=${address} claude`),
    command(`codex -c openai_base_url="${address}/v1"`),
    h('p', {}, 'Or try an output of yours in the ', h('a', { href: '#/playground' }, 'playground'), '.'));
}
