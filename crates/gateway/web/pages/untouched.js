// Which results went through untouched, and why.

import { share } from '../parts/chart.js';
import { empty, fill, h, problem } from '../parts/element.js';
import { events } from '../parts/events.js';
import { clock, count, percent } from '../parts/figures.js';
import { filters } from '../parts/filters.js';
import { follow, latestOnly } from '../parts/follow.js';
import { gain, isFiltered } from '../parts/past.js';
import { NAMES, USUAL } from '../parts/range.js';
import * as reasons from '../parts/reasons.js';
import { fits, name, wasSentBefore } from '../parts/result.js';
import { chosen } from '../parts/route.js';

export const title = 'Untouched';
export const lead = 'Tool results that reached the model exactly as the tool wrote them, and the reason.';

const LATEST = 30;

export async function show(page, visit) {
  const { signal } = visit;
  const bar = filters({ signal });
  const content = h('div', { class: 'stack' });
  fill(page, bar.element, content);
  const opened = new Set();
  const refresh = latestOnly(async () => {
    const now = chosen();
    const [found] = await Promise.all([gain(now, { by: 'reason' }, { signal }), bar.update()]);
    return () => draw(content, found, now, opened, signal);
  }, (error) => fill(content, problem(error)), signal);
  visit.move = refresh;
  await refresh();
  follow(refresh, signal);
}

function draw(content, found, now, opened, signal) {
  if (!found) return fill(content, empty('The ledger is off.', h('p', {}, 'Reasons are read from it. See “ledger” in the settings.')));
  const kept = found.rows.filter((row) => !reasons.isTouched(row.name) && row.results > 0).sort((one, other) => other.before - one.before);
  const results = kept.reduce((sum, row) => sum + row.results, 0);
  const tokens = kept.reduce((sum, row) => sum + row.before, 0);
  if (results === 0) {
    return fill(content, empty(isFiltered(now) ? 'No untouched result fits these filters.' : found.results > 0 ? 'Every result was made smaller.' : `No result ${NAMES[now.range || USUAL]}.`));
  }
  const most = Math.max(...kept.map((row) => row.before));
  const focused = document.activeElement?.closest?.('details')?.dataset.reason;
  fill(content,
    h('section', { class: 'panel' },
      h('h2', {}, `${count(results)} of ${count(found.results)} results, with ${percent(tokens, found.tokens.before)} of the tokens`),
      h('ul', { class: 'reasons' }, ...kept.map((row) => h('li', {}, reason(row, most, now, opened, signal))))),
    latest(now));
  if (focused) content.querySelector(`details[data-reason="${CSS.escape(focused)}"] summary`)?.focus();
}

// One reason; opened, it says of which tools.
function reason(row, most, now, opened, signal) {
  const tools = h('div', { class: 'inner' });
  const load = async () => {
    const found = await gain(now, { by: 'tool', reason: row.name }, { signal }).catch(() => null);
    fill(tools, ...(found?.rows ?? []).filter((tool) => tool.results > 0).map((tool) =>
      h('p', { class: 'row between' }, h('span', {}, tool.name), h('span', { class: 'muted' }, `${count(tool.results)} results, ${count(tool.before)} tokens`))));
  };
  if (opened.has(row.name)) load();
  return h('details', {
    'data-reason': row.name, open: opened.has(row.name), ontoggle: ({ target }) => {
      if (target.open === opened.has(row.name)) return;
      if (target.open) load();
      opened[target.open ? 'add' : 'delete'](row.name);
    },
  },
  h('summary', {},
    h('span', { class: 'reason' }, h('strong', {}, capital(reasons.brief(row.name))), h('span', { class: 'muted' }, reasons.full(row.name))),
    share(0, row.before, most),
    h('span', { class: 'n' }, `${count(row.results)} results`, h('span', { class: 'muted sub' }, `${count(row.before)} tokens`))),
  tools);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// Those of which the texts may still be kept.
function latest(now) {
  const found = events.filter((event) => !wasSentBefore(event) && !reasons.isTouched(event.verdict) && fits(event, now)).slice(0, LATEST);
  if (found.length === 0) return null;
  return h('section', { class: 'panel flush' }, h('h2', {}, 'The latest of them'),
    h('table', { class: 'list' }, h('caption', { class: 'hidden' }, 'The latest untouched results'),
      h('thead', {}, h('tr', {}, ...[['result'], ['time', 'wide'], ['reason'], ['tokens', 'n']].map(([head, style]) => h('th', { scope: 'col', class: style }, head)))),
      h('tbody', {}, ...found.map((event) => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: `#/results/${event.id}` }, name(event))),
        h('td', { class: 'wide time' }, clock(event.time)),
        h('td', {}, reasons.brief(event.verdict)),
        h('td', { class: 'n' }, count(event.before_tokens)))))));
}
