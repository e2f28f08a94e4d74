// Tool results as they pass, and what the model saw in place of one of them.

import { api } from '../parts/api.js';
import { diff } from '../parts/diff.js';
import { breakable, choice, empty, fill, h, problem } from '../parts/element.js';
import { events, listen } from '../parts/events.js';
import { bytes, clock, count, percent, words } from '../parts/figures.js';
import { filters } from '../parts/filters.js';
import * as reasons from '../parts/reasons.js';
import { fits, name, wasSentBefore } from '../parts/result.js';
import { address, chosen } from '../parts/route.js';
import { stages, text } from '../parts/texts.js';

export const title = 'Results';
export const lead = 'The latest tool results, live. Open one to see what the model saw instead.';

const SHOWN = 100;

export async function show(page, visit) {
  const { signal, rest } = visit;
  const bar = filters({ signal, withRange: false });
  let which = 'new';
  const body = h('tbody');
  const list = h('div', { class: 'panel flush' });
  const detail = h('section', { class: 'panel detail', 'aria-label': 'One result', tabindex: '-1' });
  const filter = choice('Which results', [['new', 'New'], ['smaller', 'Made smaller'], ['untouched', 'Untouched'], ['all', 'All']], which, (chosen) => {
    which = chosen;
    draw();
  });
  const table = h('table', { class: 'list' },
    h('caption', { class: 'hidden' }, 'Tool results, the latest first'),
    h('thead', {}, h('tr', {}, ...[['time', 'wide'], ['tool'], ['tokens', 'n'], ['saved', 'n'], ['what was done', 'wide']].map(([head, style]) =>
      h('th', { scope: 'col', class: style }, head)))),
    body);
  bar.element.prepend(filter);
  fill(page, bar.element, detail, list);
  detail.hidden = true;

  const draw = () => {
    const now = chosen();
    const found = events.filter((event) => isMeant(event, which) && fits(event, now)).slice(0, SHOWN);
    // Keeps the focus on its row.
    const focused = document.activeElement?.closest('tr')?.dataset.key;
    if (found.length === 0) {
      return fill(list, events.length > 0 ? empty('No result fits.')
        : empty('No result has passed since the gateway started.', h('p', {}, 'Results appear here as soon as an agent sends one. What came before is under ', h('a', { href: '#/sessions' }, 'Sessions'), '.')));
    }
    fill(body, ...found.map(row));
    if (table.parentNode !== list) fill(list, table);
    if (focused) body.querySelector(`tr[data-key="${CSS.escape(focused)}"] a`)?.focus();
  };
  const open = (id) => {
    detail.hidden = !id;
    for (const link of body.querySelectorAll('a')) link.removeAttribute('aria-current');
    if (!id) return;
    body.querySelector(`a[href^="#/results/${id}"]`)?.setAttribute('aria-current', 'true');
    one(detail, id, signal);
  };
  let opened = rest[0];
  visit.move = ([id]) => {
    bar.update();
    draw();
    if (id !== opened) open((opened = id));
  };
  let waiting = false;
  listen((event) => {
    if (!event || waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!signal.aborted) draw();
    });
  }, signal);
  draw();
  open(opened);
  await bar.update();
}

const isMeant = (event, which) => {
  if (wasSentBefore(event)) return which === 'all';
  return which === 'smaller' ? reasons.isTouched(event.verdict) : which === 'untouched' ? !reasons.isTouched(event.verdict) : true;
};

function row(event) {
  const saved = event.before_tokens - event.after_tokens;
  const tags = event.strategies.map((stage) => h('span', { class: 'tag' }, words(stage)));
  const what = wasSentBefore(event) ? 'sent again' : reasons.isTouched(event.verdict) ? null : reasons.brief(event.verdict);
  return h('tr', { 'data-key': event.key, class: wasSentBefore(event) ? 'repeated' : '' },
    h('td', { class: 'wide time' }, clock(event.time)),
    h('th', { scope: 'row' }, h('a', { href: address(`results/${event.id}`, chosen()) }, ...breakable(name(event))),
      event.project && h('span', { class: 'muted sub' }, event.project)),
    h('td', { class: 'n' }, count(event.before_tokens), h('span', { class: 'muted' }, ` → ${count(event.after_tokens)}`)),
    h('td', { class: `n ${saved > 0 ? 'good' : 'muted'}` }, percent(saved, event.before_tokens)),
    h('td', { class: 'wide' }, h('span', { class: 'tags' }, what && h('span', { class: 'tag' }, what), ...tags)));
}

// One result: its figures, and its texts if the operator allows them to be kept.
async function one(detail, id, signal) {
  const event = events.find((known) => known.id === id);
  const close = h('a', { href: address('results', chosen()), class: 'button quiet' }, 'Close');
  const heading = h('h2', { tabindex: '-1' }, event ? name(event) : 'A result');
  fill(detail, h('div', { class: 'row between' }, heading, close), event ? figures(event) : null);
  detail.scrollIntoView?.({ block: 'nearest' });
  heading.focus();
  try {
    const { allowed_bytes: allowed } = await api('contents', { signal });
    const content = allowed > 0 ? await api(`contents/${encodeURIComponent(id)}`, { signal, optional: true }) : null;
    if (signal.aborted || !detail.contains(heading)) return;
    detail.append(...(content ? texts(content, event) : [withheld(allowed)]));
  } catch (error) {
    if (error.name !== 'AbortError') detail.append(problem(error));
  }
}

function figures(event) {
  const saved = event.before_tokens - event.after_tokens;
  const facts = [
    ['Tokens', `${count(event.before_tokens)} → ${count(event.after_tokens)} (${percent(saved, event.before_tokens)} saved)`],
    ['Bytes', `${bytes(event.bytes_in)} → ${bytes(event.bytes_out)}`],
    ['Lines', `${count(event.lines_in)} → ${count(event.lines_out)}`],
    ['Model', event.model ?? 'not named'],
    ['Client', event.client ?? 'not named'],
    ['Mode', event.mode],
    ['Call', event.call_id ?? 'without an id'],
    ['Stages', event.strategies.map(words).join(', ') || 'none'],
    event.redacted && ['Secrets removed', event.redacted_kinds.map(words).join(', ')],
    event.strategy && ['Shortened by', event.strategy],
    event.project && ['Project', event.project],
  ].filter(Boolean);
  return h('div', { class: 'stack' },
    h('p', {}, reasons.full(event.verdict), event.deduped ? ' It is the same as an earlier result, and points to that.' : ''),
    h('dl', { class: 'facts' }, ...facts.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value)))));
}

function texts(content, event) {
  const shown = h('div');
  const names = ['What the tool wrote', event?.mode === 'observe' ? 'What the model would see' : 'What the model saw'];
  const draw = (view) => fill(shown,
    view === 'beside' ? diff(content.original, content.forwarded ?? content.original, names)
      : text(view === 'before' ? content.original : content.forwarded ?? content.original, view === 'before' ? names[0] : names[1]));
  draw('beside');
  return [
    h('div', { class: 'row between' }, h('h3', {}, 'Before and after'),
      choice('View', [['beside', 'Side by side'], ['before', 'Before'], ['after', 'After']], 'beside', draw)),
    shown,
    h('h3', {}, 'Stage by stage'), stages(content.steps),
  ];
}

// Why there is no text to show, and how there would be.
function withheld(allowed) {
  if (allowed > 0) return h('p', { class: 'notice' }, 'The texts of this result are no longer kept: newer ones took their place, or the gateway was restarted.');
  return h('div', { class: 'notice' },
    h('p', {}, 'This gateway keeps no texts. To see them here, allow some memory for them in tokenforge.yaml:'),
    h('pre', {}, h('code', {}, 'monitoring:\n  content_bytes: 16MiB')),
    h('p', {}, 'They stay in memory, recognised secrets are removed, and only someone who is signed in sees them.'));
}
