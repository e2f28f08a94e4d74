// What happened in one session, turn by turn.

import { api } from '../parts/api.js';
import { columns } from '../parts/chart.js';
import { empty, fill, h, problem } from '../parts/element.js';
import { events } from '../parts/events.js';
import { brief, called, clock, count, dollars, duration, moment, percent, plural, words } from '../parts/figures.js';
import { follow } from '../parts/follow.js';
import * as reasons from '../parts/reasons.js';

export const title = 'Session';
export const lead = 'Every request: which results were new, what became of them, and what it cost.';
export const parent = 'sessions';

const FIRST = 60;

export async function show(page, visit) {
  const { signal, rest: [id] } = visit;
  const content = h('div', { class: 'stack' });
  fill(page, h('p', {}, h('a', { href: '#/sessions' }, '← All sessions')), content);
  let isAll = false;
  let shown = null;
  const refresh = async () => {
    try {
      const session = await api(`sessions/${encodeURIComponent(id)}`, { signal, optional: true });
      if (signal.aborted) return;
      if (!session) {
        shown = null;
        return fill(content, empty('This session is not in the ledger.', h('p', {}, 'It may be older than what the ledger keeps.')));
      }
      // Nothing new: not drawn again, because that would disturb the reader.
      if (shown === session.requests) return;
      shown = session.requests;
      draw(content, session, isAll, () => {
        isAll = true;
        shown = null;
        refresh();
      });
    } catch (error) {
      if (signal.aborted) return;
      shown = null;
      fill(content, problem(error));
    }
  };
  await refresh();
  follow(refresh, signal);
}

function draw(content, session, isAll, all) {
  const { turns, tokens, cost, cold_caches: cold } = session;
  const facts = [
    ['Project', session.project], ['Client', session.client], ['Model', session.model],
    ['Began', moment(session.started)], ['Took', duration(session.ended - session.started)],
    ['Tool output', `${count(tokens.before)} → ${count(tokens.after)} tokens`],
    ['Saved', `${count(tokens.net)} tokens (${percent(tokens.net, tokens.before)})`],
    ['Fetched back', tokens.expanded > 0 ? `${count(tokens.expanded)} tokens` : 'nothing'],
    cost?.requests > 0 ? ['Bill', `${dollars(cost.after)} instead of ${dollars(cost.before)}`]
      : cost && ['Saved, at list prices', dollars(cost.saved_elsewhere)],
    cold.requests > 0 && ['Cold caches', `${count(cold.tokens)} tokens written again after ${plural(cold.requests, 'pause')}${cold.cost == null ? '' : `: ${dollars(cold.cost)} more than reading them`}`],
    session.subscription_requests > 0 && ['Price', 'a subscription: no token has a price'],
  ].filter((fact) => fact && fact[1]);
  const latestFirst = turns.toReversed();
  const listed = isAll ? latestFirst : latestFirst.slice(0, FIRST);
  fill(content,
    h('section', { class: 'panel' }, h('dl', { class: 'facts' }, ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))),
    turns.length > 1 && h('section', { class: 'panel' }, h('h2', {}, 'Turn by turn'), chart(turns)),
    h('h2', {}, `${plural(session.requests, 'turn')}, the latest first`),
    h('ol', { class: 'turns', reversed: true }, ...listed.map((each) => turn(each, session))),
    listed.length < turns.length && h('button', { type: 'button', onclick: all }, `Show ${turns.length - listed.length} earlier turns`),
    session.left_out > 0 && h('p', { class: 'muted' }, `${plural(session.left_out, 'earlier turn')} left out.`));
}

// By the bill where it is known, else by the context.
function chart(turns) {
  const isBilled = turns.some(({ cost }) => cost?.before != null);
  const figures = ({ cost, context }) => (isBilled ? { before: cost?.before ?? 0, after: cost?.after ?? 0 }
    : { before: (context?.after ?? 0) + (context?.saved ?? 0), after: context?.after ?? 0 });
  const points = turns.map((each) => ({ start: each.number, end: each.number + 1, short: String(each.number), long: `turn ${each.number}, ${clock(each.time)}`, ...figures(each) }));
  const show = isBilled ? dollars : (value, isAxis) => (isAxis ? brief(value) : `${count(value)} tokens`);
  return columns(isBilled ? 'What each turn would have cost and cost' : 'What each turn would have had and had in its context', points, show, isBilled ? ['would have cost', 'cost'] : ['would have been', 'was']);
}

function turn(each, session) {
  const { cost, repeated, usage } = each;
  const price = cost?.before != null ? [h('strong', {}, dollars(cost.after)), h('span', { class: 'muted' }, ` instead of ${dollars(cost.before)}`)]
    : each.context ? [h('strong', {}, brief(each.context.after)), h('span', { class: 'muted' }, ' tokens of context')] : [];
  return h('li', { class: 'turn panel' },
    h('div', { class: 'row between' },
      h('h3', {}, `Turn ${each.number}`, h('span', { class: 'muted' }, ` · ${clock(each.time)}${each.model && each.model !== session.model ? ` · ${each.model}` : ''}`)),
      h('p', {}, ...price)),
    each.results.length > 0 && h('ul', { class: 'outcomes' }, ...each.results.map((result) => outcome(result, each, session))),
    ...each.fetches.map((fetch) => h('p', { class: 'fetch' }, h('span', { class: 'tag set' }, 'fetched back'),
      ` ${count(fetch.tokens)} tokens of ${called(fetch.tool, fetch.program)}: ${reasons.PARTS[fetch.part] ?? fetch.part}`)),
    each.cold_cache && h('p', {}, h('span', { class: 'tag' }, 'cold cache'),
      ` ${count(each.cold_cache.tokens)} tokens written again after ${duration(each.cold_cache.pause)}${each.cold_cache.cost == null ? '' : `: ${dollars(each.cold_cache.cost)} more than reading them`}`),
    h('p', { class: 'muted' }, [
      each.results.length === 0 && each.fetches.length === 0 && 'No new tool result.',
      repeated.results > 0 && `${plural(repeated.results, 'earlier result')} sent again: ${brief(repeated.before)} → ${brief(repeated.after)} tokens.`,
      usage && `The provider counted ${[[usage.input, 'input'], [usage.cache_read, 'from its cache'], [usage.cache_write, 'into its cache'], [usage.output, 'output']].filter(([number]) => number > 0).map(([number, name]) => `${brief(number)} ${name}`).join(', ')}.`,
    ].filter(Boolean).join(' ')));
}

// New results to which the same was done; the latest ones lead to their texts.
function outcome(result, each, session) {
  const saved = result.before - result.after;
  const event = events.find((known) => known.session === session.id && known.tool === result.tool && known.before_tokens === result.before
    && known.after_tokens === result.after && Math.abs(known.time - each.time) < 900);
  const name = called(result.tool, result.program) + (result.results > 1 ? ` × ${result.results}` : '');
  return h('li', {},
    event ? h('a', { href: `#/results/${event.id}` }, name) : h('span', { class: 'name' }, name),
    h('span', {}, `${count(result.before)}`, saved !== 0 && h('span', { class: 'muted' }, ` → ${count(result.after)}`), result.after === 1 ? ' token' : ' tokens'),
    h('span', { class: 'tags' }, ...(result.stages ?? []).map((stage) => h('span', { class: 'tag' }, words(stage))),
      !reasons.isTouched(result.reason) && h('span', { class: 'tag', title: reasons.full(result.reason) }, reasons.brief(result.reason))),
    h('strong', { class: saved > 0 ? 'good' : 'muted' }, each.observed ? 'only measured' : percent(saved, result.before)));
}
