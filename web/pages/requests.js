// Tool results as they pass, and what became of one of them.

import { api } from '../parts/api.js';
import { diff } from '../parts/diff.js';
import { choice, empty, fill, h, problem } from '../parts/element.js';
import { events, listen } from '../parts/events.js';
import { bytes, clock, count, percent, words } from '../parts/figures.js';
import { stages, text } from '../parts/texts.js';

export const title = 'Requests';
export const lead = 'Tool results as they pass. An agent sends its whole history with every turn; new results are shown unless you ask for all.';

const SHOWN = 100;

const REASONS = {
  compressed: 'It went on in fewer tokens.',
  disabled: 'Nothing is done to tool results: the mode is disabled.',
  observed: 'It went on as it came. This is only what would have been done: the mode is observe.',
  too_small: 'It went on as it came: there is too little of it for anything to be gained.',
  too_large: 'It went on as it came: it is larger than what is looked at.',
  skipped_tool: 'It went on as it came: its tool is on the list of those to skip.',
  exact_tool: 'It went on as it came: it is the text of a file, which stays exact.',
  already_compressed: 'It went on as it came: it was compressed before.',
  client_message: 'It went on as it came: it is a message of the client itself.',
  nothing_to_do: 'It went on as it came: no stage found anything to do.',
  not_smaller: 'It went on as it came: what was made of it had no fewer tokens.',
  out_of_time: 'It went on as it came: it took too long.',
  panicked: 'It went on as it came: there is a defect in the gateway.',
};

export async function show(page, visit) {
  const { signal, rest } = visit;
  let isAll = false;
  const body = h('tbody');
  const list = h('div', { class: 'panel flush' });
  const detail = h('section', { class: 'panel detail', 'aria-label': 'One result', tabindex: '-1' });
  const filter = choice('Which results', [['new', 'New results'], ['all', 'All results']], 'new', (chosen) => {
    isAll = chosen === 'all';
    draw();
  });
  const table = h('table', { class: 'list' },
    h('caption', { class: 'hidden' }, 'Tool results, the latest first'),
    h('thead', {}, h('tr', {}, ...[['time', 'wide'], ['tool'], ['came of it', 'wide'], ['tokens', 'n'], ['saved', 'n'], ['stages', 'wide']].map(([name, style]) =>
      h('th', { scope: 'col', class: style }, name)))),
    body);
  fill(page, h('div', { class: 'row' }, filter), detail, list);
  detail.hidden = true;

  const draw = () => {
    const found = events.filter((event) => isAll || !wasSentBefore(event)).slice(0, SHOWN);
    // Whoever is on a row stays there.
    const focused = document.activeElement?.closest('tr')?.dataset.key;
    if (found.length === 0) {
      return fill(list, empty('No result has passed yet.', h('p', {}, 'They appear here as soon as an agent sends one. Figures alone are told, never a text.')));
    }
    fill(body, ...found.map(row));
    if (table.parentNode !== list) fill(list, table);
    if (focused) body.querySelector(`tr[data-key="${CSS.escape(focused)}"] a`)?.focus();
  };
  const open = (id) => {
    detail.hidden = !id;
    for (const link of body.querySelectorAll('a')) link.removeAttribute('aria-current');
    if (!id) return;
    body.querySelector(`a[href="#/requests/${id}"]`)?.setAttribute('aria-current', 'true');
    one(detail, id, signal);
  };
  visit.move = ([id]) => open(id);
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
  open(rest[0]);
}

function row(event) {
  const saved = event.before_tokens - event.after_tokens;
  return h('tr', { 'data-key': event.key, class: wasSentBefore(event) ? 'repeated' : '' },
    h('td', { class: 'wide time' }, clock(event.time)),
    h('th', { scope: 'row' }, h('a', { href: `#/requests/${event.id}` }, event.tool || 'unknown'),
      h('span', { class: 'muted' }, ` ${family(event)}`)),
    h('td', { class: 'wide' }, wasSentBefore(event) ? 'sent again' : words(event.verdict)),
    h('td', { class: 'n' }, count(event.before_tokens), h('span', { class: 'muted' }, ` → ${count(event.after_tokens)}`)),
    h('td', { class: `n ${saved > 0 ? 'good' : 'muted'}` }, percent(saved, event.before_tokens)),
    h('td', { class: 'wide tags' }, ...event.strategies.map((stage) => h('span', { class: 'tag' }, words(stage)))));
}

// The program that a shell ran; what kind of tool it is goes without saying.
const family = (event) => (['other', 'bash', 'shell', 'mcp', event.tool?.toLowerCase()].includes(event.family) ? '' : event.family);

// One result: its figures, and its texts if the operator allows them to be kept.
async function one(detail, id, signal) {
  const event = events.find((known) => known.id === id);
  const close = h('a', { href: '#/requests', class: 'button quiet' }, 'Close');
  const heading = h('h2', { tabindex: '-1' }, event?.tool || 'A result');
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
    ['Mode', event.mode],
    ['Call', event.call_id ?? 'without an id'],
    ['Stages', event.strategies.map(words).join(', ') || 'none'],
    event.redacted && ['Secrets removed', event.redacted_kinds.map(words).join(', ')],
    event.strategy && ['Shortened by', event.strategy],
    event.project && ['Project', event.project],
  ].filter(Boolean);
  return h('div', { class: 'stack' },
    h('p', {}, REASONS[event.verdict] ?? words(event.verdict), event.deduped ? ' It points to an earlier result that is the same.' : ''),
    h('dl', { class: 'facts' }, ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));
}

function texts(content, event) {
  const shown = h('div');
  const names = ['As it came', event?.mode === 'observe' ? 'As it would go on' : 'As it went on'];
  const draw = (view) => fill(shown,
    view === 'beside' ? diff(content.original, content.forwarded ?? content.original, names)
      : text(view === 'before' ? content.original : content.forwarded ?? content.original, view === 'before' ? names[0] : names[1]));
  draw('beside');
  return [
    h('h3', {}, 'Stage by stage'), stages(content.steps),
    h('div', { class: 'row between' }, h('h3', {}, 'Texts'),
      choice('View', [['beside', 'Side by side'], ['before', 'As it came'], ['after', 'As it went on']], 'beside', draw)),
    shown,
  ];
}

// Why there is no text to show, and how there would be.
function withheld(allowed) {
  if (allowed > 0) return h('p', { class: 'notice' }, 'The texts of this result are no longer kept: newer ones have taken their place, or it was made before texts were kept.');
  return h('div', { class: 'notice' },
    h('p', {}, 'Texts of results are not kept. To see them here, allow some memory for them in tokenforge.yaml:'),
    h('pre', {}, h('code', {}, 'monitoring:\n  content_bytes: 16MiB')),
    h('p', {}, 'They stay in memory, are never written anywhere, and the oldest go first.'));
}

// Events of older logs have one flag for both: the content cache, and a session's memo.
function wasSentBefore(event) {
  return event.sent_before ?? event.memo_reused;
}
