// What it would have cost, what it cost, and where the difference comes from.

import { api, GATEWAY } from '../parts/api.js';
import { bill } from '../parts/bill.js';
import { byName } from '../parts/by-name.js';
import { empty, fill, h, problem } from '../parts/element.js';
import { brief, count, dollars, percent, plural } from '../parts/figures.js';
import { filters } from '../parts/filters.js';
import { follow, latestOnly } from '../parts/follow.js';
import { latestResults, latestSessions } from '../parts/latest.js';
import { history, isFiltered, sessions } from '../parts/past.js';
import { NAMES, USUAL } from '../parts/range.js';
import * as reasons from '../parts/reasons.js';
import { address, choose, chosen } from '../parts/route.js';
import { shares } from '../parts/shares.js';
import { command } from '../parts/texts.js';
import { unusedTools } from '../parts/unused-tools.js';

export const title = 'Overview';
export const lead = 'What your agents’ requests would have cost, what they cost, and what was saved.';

export async function show(page, visit) {
  const { signal } = visit;
  const bar = filters({ signal });
  const content = h('div', { class: 'stack' });
  fill(page, bar.element, content);
  const refresh = latestOnly(async () => {
    const now = chosen();
    const [past, recent] = await Promise.all([history(now, { signal }), sessions(now, 5, { signal }), bar.update()]);
    if (past && past.gain.requests > 0) return () => draw(content, past, recent, now);
    const instead = past ? nothing(now, await api('gain', { signal })) : await withoutLedger(signal);
    return () => fill(content, instead);
  }, (error) => fill(content, problem(error)), signal);
  visit.move = refresh;
  await refresh();
  follow(refresh, signal);
}

function draw(content, past, recent, now) {
  // Keeps the focus on its link or control.
  const controls = () => [...content.querySelectorAll('a, button, input, summary')];
  const focused = controls().indexOf(document.activeElement);
  fill(content, bill(past, now), answers(past, recent, now), byName(past, now), unusedTools(past.gain), shares(past.gain),
    h('div', { class: 'halves' }, latestSessions(recent, now), latestResults()));
  if (focused >= 0) controls()[focused]?.focus();
}

// A figure for each question, and the page that answers it.
function answers({ gain, rows }, recent, now) {
  const kept = rows.reason.rows.filter((row) => !reasons.isTouched(row.name) && row.results > 0);
  const untouched = kept.reduce((sum, row) => sum + row.results, 0);
  const most = kept.toSorted((one, other) => other.results - one.results)[0];
  const { tokens, repeated, cold_caches: coldCaches } = gain;
  const inAll = recent ? recent.sessions.length + recent.left_out : 0;
  const card = (name, figure, about, page) => h('a', { class: 'card', href: address(page, now) }, h('h2', {}, name), h('p', { class: 'figure' }, figure), h('p', {}, about));
  return h('div', { class: 'cards' },
    card('Tokens saved', brief(tokens.net), `${percent(tokens.net, tokens.before)} of tool output; ${brief(repeated.before - repeated.after)} more as it was sent again`, 'results'),
    card('Sessions', count(inAll), `with ${plural(gain.requests, 'request')}, turn by turn`, 'sessions'),
    coldCaches.requests > 0 && card('Cold caches', brief(coldCaches.tokens), `tokens written again after ${plural(coldCaches.requests, 'pause')}${coldCaches.cost == null ? '' : `, for ${dollars(coldCaches.cost)} more than reading them`}`, 'sessions'),
    card('Untouched results', count(untouched), untouched > 0 ? `of ${count(gain.results)}; most often: ${reasons.brief(most.name)}` : 'every result was made smaller', 'untouched'),
    card('Fetched back', brief(tokens.expanded), tokens.expanded > 0 ? `tokens, ${percent(tokens.expanded, tokens.saved)} of what was saved; taken off` : 'tokens: the model never needed what was left out', 'fetched'));
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
