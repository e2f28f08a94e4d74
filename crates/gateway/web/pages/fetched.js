// What models fetched back with expand_context.

import { empty, fill, h, problem } from '../parts/element.js';
import { brief, called, count, moment, percent, plural } from '../parts/figures.js';
import { filters } from '../parts/filters.js';
import { follow, latestOnly } from '../parts/follow.js';
import { fetches, gain, isFiltered } from '../parts/past.js';
import { NAMES, USUAL } from '../parts/range.js';
import { PARTS } from '../parts/reasons.js';
import { chosen } from '../parts/route.js';
import { table } from '../parts/table.js';

export const title = 'Fetched back';
export const lead = 'What was left out and a model then asked for, by calling expand_context. It is taken off every figure.';

export async function show(page, visit) {
  const { signal } = visit;
  const bar = filters({ signal });
  const content = h('div', { class: 'stack' });
  fill(page, bar.element, content);
  const refresh = latestOnly(async () => {
    const now = chosen();
    const [found, sums] = await Promise.all([fetches(now, { signal }), gain(now, {}, { signal }), bar.update()]);
    return () => draw(content, found, sums, now);
  }, (error) => fill(content, problem(error)), signal);
  visit.move = refresh;
  await refresh();
  follow(refresh, signal);
}

function draw(content, found, sums, now) {
  if (!found) return fill(content, empty('The ledger is off.', h('p', {}, 'Calls are read from it. See “ledger” in the settings.')));
  const { fetches: calls, left_out: leftOut } = found;
  if (calls.length === 0) {
    return fill(content, empty(isFiltered(now) ? 'No call fits these filters.' : `Nothing was fetched back ${NAMES[now.range || USUAL]}.`,
      h('p', {}, 'Models were content with what they saw.')));
  }
  const { tokens } = sums;
  const card = (name, figure, about) => h('section', { class: 'card' }, h('h2', {}, name), h('p', { class: 'figure' }, figure), h('p', {}, about));
  fill(content,
    h('div', { class: 'cards' },
      card('Calls', count(calls.length + leftOut), 'of expand_context that gave something back'),
      card('Tokens fetched back', brief(tokens.expanded), `${percent(tokens.expanded, tokens.saved)} of what was saved, and taken off`),
      card('Still saved', brief(tokens.net), `${percent(tokens.net, tokens.before)} of all tool output`)),
    h('section', { class: 'panel', 'aria-label': 'Calls' }, table('Calls of expand_context, the latest first', [
      { name: 'result of', by: (call) => called(call.tool, call.program).toLowerCase(), show: (call) => h('strong', {}, called(call.tool, call.program)) },
      { name: 'when', by: (call) => call.time, show: (call) => moment(call.time) },
      { name: 'asked for', class: 'wide', by: (call) => call.part, show: (call) => PARTS[call.part] ?? call.part },
      { name: 'tokens', class: 'n', by: (call) => call.tokens, show: (call) => count(call.tokens) },
      { name: 'session', by: (call) => call.session, show: (call) => h('a', { href: `#/session/${encodeURIComponent(call.session)}` }, [call.project, call.client].filter(Boolean).join(' · ') || 'open') },
    ], calls, { sort: 1, first: 50 }),
    leftOut > 0 && h('p', { class: 'muted' }, `${plural(leftOut, 'earlier call')} not shown.`)));
}
