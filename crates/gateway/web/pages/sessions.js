// Which sessions there were.

import { empty, fill, h, problem } from '../parts/element.js';
import { brief, count, dollars, duration, moment, percent, plural } from '../parts/figures.js';
import { filters } from '../parts/filters.js';
import { follow, latestOnly } from '../parts/follow.js';
import { isFiltered, sessions } from '../parts/past.js';
import { NAMES, USUAL } from '../parts/range.js';
import { chosen } from '../parts/route.js';
import { table } from '../parts/table.js';

export const title = 'Sessions';
export const lead = 'Each conversation of an agent. Open one to see it turn by turn.';

const MOST = 500;

export async function show(page, visit) {
  const { signal } = visit;
  const bar = filters({ signal });
  const list = h('section', { class: 'panel', 'aria-label': 'Sessions' });
  fill(page, bar.element, list);
  const refresh = latestOnly(async () => {
    const now = chosen();
    const [found] = await Promise.all([sessions(now, MOST, { signal }), bar.update()]);
    return () => draw(list, found, now);
  }, (error) => fill(list, problem(error)), signal);
  visit.move = refresh;
  await refresh();
  follow(refresh, signal);
}

function draw(list, found, now) {
  if (!found) return fill(list, empty('The ledger is off.', h('p', {}, 'Sessions are read from it. See “ledger” in the settings.')));
  const { sessions: all, left_out: leftOut } = found;
  if (all.length === 0) return fill(list, empty(isFiltered(now) ? 'No session fits these filters.' : `No session ${NAMES[now.range || USUAL]}.`));
  const name = (session) => [session.project, session.client].filter(Boolean).join(' · ') || 'unnamed';
  const focused = document.activeElement?.closest?.('tr')?.querySelector('a')?.hash;
  fill(list, table('Sessions, the latest first', [
    {
      name: 'session', by: (session) => name(session).toLowerCase(),
      show: (session) => [
        h('a', { href: `#/session/${encodeURIComponent(session.id)}` }, name(session)),
        h('span', { class: 'muted sub' }, session.is_known ? session.model ?? '' : 'calls that belong to no known session'),
      ],
    },
    { name: 'latest', by: (session) => session.ended, show: (session) => [moment(session.ended), h('span', { class: 'muted sub wide' }, `took ${duration(session.ended - session.started)}`)] },
    { name: 'turns', class: 'n', by: (session) => session.requests, show: (session) => count(session.requests) },
    { name: 'results', class: 'n wide', by: (session) => session.results, show: (session) => count(session.results) },
    { name: 'fetched back', class: 'n wide', by: (session) => session.tokens.expanded, show: (session) => brief(session.tokens.expanded) },
    { name: 'saved', class: 'n wide', by: (session) => session.tokens.net, show: (session) => h('span', { class: session.tokens.net > 0 ? 'good' : 'muted' }, `${brief(session.tokens.net)} (${percent(session.tokens.net, session.tokens.before)})`) },
    { name: 'cold caches', class: 'n wide', by: (session) => session.cold_caches.tokens, show: (session) => cold(session.cold_caches) },
    { name: 'cost', class: 'n wide', by: (session) => session.cost?.after, show: (session) => (session.cost?.requests > 0 ? dollars(session.cost.after) : '–') },
    { name: 'USD saved', class: 'n', by: (session) => saved(session), show: (session) => (saved(session) == null ? '–' : dollars(saved(session))) },
  ], all, { sort: 1, first: 50 }),
  leftOut > 0 && h('p', { class: 'muted' }, `${plural(leftOut, 'older session')} not shown. Choose a shorter range or a filter.`));
  if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

// Tokens that were written to the provider's cache again after pauses, and what that cost beyond reading them.
const cold = ({ requests, tokens, cost, longest_pause: longest }) => (requests === 0 ? '–'
  : h('span', { title: `after ${plural(requests, 'pause')}, the longest ${duration(longest)}` }, `${brief(tokens)}${cost == null ? '' : ` (${dollars(cost)})`}`));

const saved = ({ cost }) => (cost ? cost.saved + cost.saved_elsewhere : null);
