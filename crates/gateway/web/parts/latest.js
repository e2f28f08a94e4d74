// What happened last: sessions, and results as they pass.

import { h } from './element.js';
import { events } from './events.js';
import { brief, count, dollars, moment, percent, plural } from './figures.js';
import * as result from './result.js';
import { address } from './route.js';

export function latestSessions(recent, now) {
  const row = (session) => h('li', {},
    h('a', { href: `#/session/${encodeURIComponent(session.id)}` }, [session.project, session.client].filter(Boolean).join(' · ') || session.model || 'unnamed'),
    h('span', { class: 'muted' }, `${moment(session.ended)} · ${plural(session.requests, 'turn')}`),
    h('strong', { class: session.tokens.net > 0 ? 'good' : 'muted' }, session.cost?.requests > 0 ? dollars(session.cost.saved) : `${brief(session.tokens.net)} tokens`));
  return h('section', { class: 'panel' },
    h('div', { class: 'row between' }, h('h2', {}, 'Latest sessions'), h('a', { href: address('sessions', now) }, 'All sessions')),
    h('ul', { class: 'latest' }, ...(recent?.sessions ?? []).map(row)));
}

export function latestResults() {
  const fresh = events.filter((event) => !result.wasSentBefore(event)).slice(0, 5);
  const row = (event) => h('li', {},
    h('a', { href: `#/results/${event.id}` }, result.name(event)),
    h('span', { class: 'muted' }, `${count(event.before_tokens)} → ${count(event.after_tokens)} tokens`),
    h('strong', { class: event.before_tokens > event.after_tokens ? 'good' : 'muted' }, percent(event.before_tokens - event.after_tokens, event.before_tokens)));
  return h('section', { class: 'panel' },
    h('div', { class: 'row between' }, h('h2', {}, 'Latest results'), h('a', { href: '#/results' }, 'Live view')),
    fresh.length > 0 ? h('ul', { class: 'latest' }, ...fresh.map(row)) : h('p', { class: 'muted' }, 'None since the gateway started. They appear here as they pass.'));
}
