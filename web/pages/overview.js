// What it would have cost, what it cost, and where the difference comes from.

import { api, GATEWAY } from '../parts/api.js';
import { columns, share } from '../parts/chart.js';
import { breakable, choice, empty, fill, h, problem } from '../parts/element.js';
import { events } from '../parts/events.js';
import { brief, count, dollars, moment, percent, plural, words } from '../parts/figures.js';
import { filters } from '../parts/filters.js';
import { follow } from '../parts/follow.js';
import { history, isFiltered, sessions } from '../parts/past.js';
import { labels, NAMES, USUAL } from '../parts/range.js';
import * as reasons from '../parts/reasons.js';
import * as result from '../parts/result.js';
import { address, choose, chosen } from '../parts/route.js';
import { table } from '../parts/table.js';
import { command } from '../parts/texts.js';

export const title = 'Overview';
export const lead = 'What your agents’ requests would have cost, what they cost, and what was saved.';

const OF = {
  'outputs touched': 'of the outputs touched', 'all tool output': 'of all tool output',
  'whole context': 'of the whole context', bill: 'of the bill',
};
const TABLES = [['tool', 'Tools'], ['project', 'Projects'], ['model', 'Models'], ['client', 'Clients'], ['stage', 'Stages']];

// Kept while the page is drawn anew.
const view = { unit: null, by: 'tool' };

export async function show(page, visit) {
  const { signal } = visit;
  const bar = filters({ signal });
  const content = h('div', { class: 'stack' });
  fill(page, bar.element, content);
  let latest = 0;
  const refresh = async () => {
    const turn = (latest += 1);
    try {
      const now = chosen();
      const [past, recent] = await Promise.all([history(now, { signal }), sessions(now, 5, { signal }), bar.update()]);
      // Somebody may have chosen something else meanwhile.
      if (turn !== latest || signal.aborted) return;
      if (past?.gain.requests === 0) fill(content, nothing(now, await api('gain', { signal })));
      else if (past) draw(content, past, recent, now);
      else fill(content, await withoutLedger(signal));
    } catch (error) {
      if (error.name !== 'AbortError') fill(content, problem(error));
    }
  };
  visit.move = refresh;
  await refresh();
  follow(refresh, signal);
}

function draw(content, past, recent, now) {
  // Whoever is on a link or a control stays there.
  const controls = () => [...content.querySelectorAll('a, button, input, summary')];
  const focused = controls().indexOf(document.activeElement);
  fill(content, bill(past, now), answers(past, recent, now), shares(past.gain), byName(past, now),
    h('div', { class: 'halves' }, latestSessions(recent, now), latestResults()));
  if (focused >= 0) controls()[focused]?.focus();
}

// The units in which the difference can be told, the one that one pays first.
function units({ gain, series }) {
  const context = gain.shares.find((each) => each.of === 'whole context');
  const tokens = (value, isAxis) => (isAxis ? brief(value) : count(Math.round(value)));
  return [
    gain.cost?.requests > 0 && {
      name: 'dollars', label: 'Dollars', verbs: ['would have cost', 'cost'], show: (value, isAxis) => (isAxis ? axisDollars(value) : dollars(value)),
      sum: gain.cost, of: 'of the bill',
      points: series.map(({ cost }) => ({ before: cost?.before ?? 0, after: cost?.after ?? 0 })),
    },
    context?.requests > 0 && {
      name: 'context', label: 'Context tokens', verbs: ['would have been', 'was'], show: tokens, of: 'of the whole context', unit: 'tokens of context',
      sum: { before: context.before, after: context.before - context.saved, saved: context.saved },
      points: series.map(({ context: { before, saved } }) => ({ before, after: before - saved })),
    },
    {
      name: 'output', label: 'Tool output', verbs: ['would have been', 'was'], show: tokens, of: 'of all tool output', unit: 'tokens of tool output',
      sum: { before: gain.tokens.before, after: gain.tokens.before - gain.tokens.net, saved: gain.tokens.net },
      points: series.map(({ tokens: { before, net } }) => ({ before, after: before - net })),
    },
  ].filter(Boolean);
}

const axisDollars = (value) => (value === 0 ? '$0' : value >= 10 ? `$${brief(value)}` : dollars(value).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));

// What it would have cost and what it cost, over time.
function bill(past, now) {
  const all = units(past);
  const unit = all.find(({ name }) => name === view.unit) ?? all[0];
  const { sum, show } = unit;
  const range = now.range || USUAL;
  const points = past.series.map(({ start, end }, index) => ({ start, end, ...labels(range, start, end), ...unit.points[index] }));
  const figure = (name, value, kind, about) => h('div', { class: `amount ${kind}` }, h('dt', {}, name), h('dd', {}, value), about && h('dd', { class: 'about' }, about));
  const isLoss = sum.saved < 0;
  const amount = (value) => (unit.unit ? brief(value) : show(value));
  const panel = h('section', { class: 'panel bill' },
    h('div', { class: 'row between top' },
      h('dl', { class: 'amounts' },
        figure(isLoss ? 'More than without' : 'Saved', amount(Math.abs(sum.saved)), isLoss ? 'lost' : 'saved', `${percent(sum.saved, sum.before)} ${unit.of}`),
        figure(capital(unit.verbs[0]), amount(sum.before), 'before', unit.unit),
        figure(capital(unit.verbs[1]), amount(sum.after), 'after', unit.unit)),
      all.length > 1 && choice('Unit', all.map(({ name, label }) => [name, label]), unit.name, (name) => {
        view.unit = name;
        const drawn = bill(past, now);
        panel.replaceWith(drawn);
        drawn.querySelector('input:checked').focus();
      })),
    columns(`What it ${unit.verbs[0]} and ${unit.verbs[1]} ${NAMES[range]}`, points, show, unit.verbs),
    h('p', { class: 'muted' }, sentence(past.gain)));
  return panel;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The sentence of `tokenforge gain --cost`.
function sentence({ cost, subscription_requests: subscriptions, requests, results }) {
  const what = `${plural(results, 'result')} in ${plural(requests, 'request')}. `;
  if (!cost) return what + (subscriptions > 0 ? 'With a subscription no token has a price.' : 'No request named a model with a known price; see “prices” in the settings.');
  const elsewhere = cost.saved_elsewhere !== 0 ? ` In the other requests ${dollars(cost.saved_elsewhere)} was saved, at list prices.` : '';
  if (cost.requests === 0) return `${what}${elsewhere.replace('In the other requests ', '')}`.trim();
  return `${what}${plural(cost.requests, 'request')} cost ${dollars(cost.after)} instead of ${dollars(cost.before)}, at list prices.${elsewhere}`;
}

// A figure for each question, and the page that answers it.
function answers({ gain, rows }, recent, now) {
  const kept = rows.reason.rows.filter((row) => !reasons.isTouched(row.name) && row.results > 0);
  const untouched = kept.reduce((sum, row) => sum + row.results, 0);
  const most = kept.toSorted((one, other) => other.results - one.results)[0];
  const { tokens, repeated } = gain;
  const inAll = recent ? recent.sessions.length + recent.left_out : 0;
  const card = (name, figure, about, page) => h('a', { class: 'card', href: address(page, now) }, h('h2', {}, name), h('p', { class: 'figure' }, figure), h('p', {}, about));
  return h('div', { class: 'cards' },
    card('Tokens saved', brief(tokens.net), `${percent(tokens.net, tokens.before)} of tool output; ${brief(repeated.before - repeated.after)} more as it was sent again`, 'results'),
    card('Sessions', count(inAll), `with ${plural(gain.requests, 'request')}, turn by turn`, 'sessions'),
    card('Untouched results', count(untouched), untouched > 0 ? `of ${count(gain.results)}; most often: ${reasons.brief(most.name)}` : 'every result was made smaller', 'untouched'),
    card('Fetched back', brief(tokens.expanded), tokens.expanded > 0 ? `tokens, ${percent(tokens.expanded, tokens.saved)} of what was saved; taken off` : 'tokens: the model never needed what was left out', 'fetched'));
}

// The saving against four denominators, as `tokenforge gain` prints them.
function shares(gain) {
  const row = (each) => {
    const show = each.of === 'bill' ? dollars : (value) => brief(value);
    const isKnown = each.share != null;
    return h('li', {},
      h('span', { class: 'share-name' }, OF[each.of] ?? each.of),
      h('strong', {}, isKnown ? percent(each.share, 1) : '?'),
      share(isKnown ? each.share : 0, 1),
      h('span', { class: 'muted' }, isKnown ? `${show(each.saved)} of ${show(each.before)}${each.of === 'bill' ? '' : ' tokens'}` : each.note));
  };
  return h('section', { class: 'panel' }, h('h2', {}, 'Saved, and of what'), h('ul', { class: 'shares' }, ...gain.shares.map(row)));
}

// Which tools, projects, models and clients. A name that is clicked becomes the filter.
function byName({ gain, rows }, now) {
  const panel = h('section', { class: 'panel' });
  const canFilter = (kind, name) => kind !== 'stage' && !/^\(.*\)$/.test(name);
  const draw = () => {
    const kind = view.by;
    const name = (row) => (canFilter(kind, row.name) ? h('a', { href: address('overview', { ...now, [kind]: row.name }) }, ...breakable(row.name)) : words(row.name).replace(/^\((.*)\)$/, '$1'));
    const found = rows[kind].rows.filter((row) => row.results > 0 || row.net !== 0);
    fill(panel, h('div', { class: 'row between' }, h('h2', {}, 'Where it was saved'),
      choice('By', TABLES, kind, (by) => {
        view.by = by;
        draw();
        panel.querySelector('input:checked').focus();
      })),
    table(`By ${kind}`, [
      { name: kind, by: (row) => row.name.toLowerCase(), show: name },
      { name: 'results', class: 'n wide', by: (row) => row.results, show: (row) => count(row.results) },
      { name: 'before', class: 'n wide', by: (row) => row.before, show: (row) => count(row.before) },
      { name: 'after', class: 'n wide', by: (row) => row.after, show: (row) => count(row.after) },
      { name: 'fetched back', class: 'n wide', by: (row) => row.expanded, show: (row) => count(row.expanded) },
      { name: 'saved', class: 'n', by: (row) => row.net, show: (row) => h('span', { class: row.net > 0 ? 'good' : 'muted' }, `${count(row.net)} (${percent(row.net, row.before)})`) },
      { name: 'share of savings', class: 'share', by: (row) => row.net, show: (row) => h('span', { class: 'bar-cell' }, share(row.net, 0, Math.max(1, gain.tokens.net)), percent(row.net, gain.tokens.net)) },
      { name: 'USD', class: 'n wide', by: (row) => row.cost_saved, show: (row) => (row.cost_saved == null ? '–' : dollars(row.cost_saved)) },
    ], found, { sort: 5 }),
    rows[kind].left_out > 0 && h('p', { class: 'muted' }, `${plural(rows[kind].left_out, 'smaller row')} left out.`));
  };
  draw();
  return panel;
}

function latestSessions(recent, now) {
  const row = (session) => h('li', {},
    h('a', { href: `#/session/${encodeURIComponent(session.id)}` }, [session.project, session.client].filter(Boolean).join(' · ') || session.model || 'unnamed'),
    h('span', { class: 'muted' }, `${moment(session.ended)} · ${plural(session.requests, 'turn')}`),
    h('strong', { class: session.tokens.net > 0 ? 'good' : 'muted' }, session.cost?.requests > 0 ? dollars(session.cost.saved) : `${brief(session.tokens.net)} tokens`));
  return h('section', { class: 'panel' },
    h('div', { class: 'row between' }, h('h2', {}, 'Latest sessions'), h('a', { href: address('sessions', now) }, 'All sessions')),
    h('ul', { class: 'latest' }, ...(recent?.sessions ?? []).map(row)));
}

function latestResults() {
  const fresh = events.filter((event) => !result.wasSentBefore(event)).slice(0, 5);
  const row = (event) => h('li', {},
    h('a', { href: `#/results/${event.id}` }, result.name(event)),
    h('span', { class: 'muted' }, `${count(event.before_tokens)} → ${count(event.after_tokens)} tokens`),
    h('strong', { class: event.before_tokens > event.after_tokens ? 'good' : 'muted' }, percent(event.before_tokens - event.after_tokens, event.before_tokens)));
  return h('section', { class: 'panel' },
    h('div', { class: 'row between' }, h('h2', {}, 'Latest results'), h('a', { href: '#/results' }, 'Live view')),
    fresh.length > 0 ? h('ul', { class: 'latest' }, ...fresh.map(row)) : h('p', { class: 'muted' }, 'None since the gateway started. They appear here as they pass.'));
}

function nothing(now, whole) {
  if (isFiltered(now)) return empty('Nothing fits these filters.', h('p', {}, `There is no such result ${NAMES[now.range || USUAL]}.`));
  const address = GATEWAY.href.replace(/\/$/, '');
  const isAll = whole.requests === 0;
  return empty(isAll ? 'Nothing has passed yet.' : `Nothing has passed ${NAMES[now.range || USUAL]}.`,
    !isAll && h('button', { type: 'button', onclick: () => choose({ range: 'all' }) }, 'Show everything'),
    h('p', {}, 'Point an agent at this gateway and work as always:'),
    command(`ANTHROPIC_BASE_URL=${address} claude`),
    command(`codex -c openai_base_url="${address}/v1"`),
    h('p', {}, 'Or try an output of yours in the ', h('a', { href: '#/playground' }, 'playground'), '.'));
}

// Where nothing is written down there are only the figures since the start.
async function withoutLedger(signal) {
  const { counters, tokens, dollars: money } = await api('stats', { signal });
  const card = (name, figure, about) => h('section', { class: 'card' }, h('h2', {}, name), h('p', { class: 'figure' }, figure), h('p', {}, about));
  return [
    h('p', { class: 'notice' }, 'The ledger is off, so there is no history: these figures count from the start of the gateway. See “ledger” in the settings.'),
    h('div', { class: 'cards' },
      card('Tokens saved', brief(tokens.saved_fresh - tokens.expanded), `of ${brief(counters.fresh_tokens_before)} of tool output, each result counted once`),
      card('Saved', money.saved_net == null ? '–' : dollars(money.saved_net), 'at list prices'),
      card('Requests', count(counters.requests), `with ${plural(counters.cache_misses, 'new result')}`),
      card('Fetched back', brief(tokens.expanded), 'tokens, taken off')),
  ];
}
