// The range and the filters of a page about the past. What is chosen stands in the address, so that it can be shared.

import { choice, fill, h } from './element.js';
import { isFiltered, names } from './past.js';
import { RANGES, USUAL } from './range.js';
import { choose, chosen } from './route.js';

const KINDS = [['tool', 'Tool', 'All tools'], ['model', 'Model', 'All models'], ['client', 'Client', 'All clients'], ['project', 'Project', 'All projects']];
const PAUSE = 250;

// The bar above a page, and `update`, which shows what is chosen now.
export function filters({ signal, withRange = true }) {
  const ranges = h('div', { class: 'ranges' });
  const search = h('input', { type: 'search', id: 'filter-text', placeholder: 'Tool or command' });
  let waiting = null;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => choose({ text: search.value.trim() }), PAUSE);
  });
  const selects = KINDS.map(([kind, label, all]) => ({ kind, label, all, select: h('select', { id: `filter-${kind}`, onchange: ({ target }) => choose({ [kind]: target.value }) }) }));
  const clear = h('button', { type: 'button', class: 'quiet', onclick: () => choose({ text: '', tool: '', model: '', client: '', project: '' }) }, 'Clear filters');
  const element = h('div', { class: 'filter-bar', role: 'search', 'aria-label': 'Range and filters' },
    ranges,
    h('div', { class: 'filter-fields' },
      field('Find', search), ...selects.map(({ label, select }) => field(label, select)), clear));
  let known = null;
  const update = async () => {
    const now = chosen();
    if (withRange && ranges.dataset.range !== (now.range || USUAL)) {
      ranges.dataset.range = now.range || USUAL;
      fill(ranges, choice('Range', RANGES, ranges.dataset.range, (range) => choose({ range: range === USUAL ? '' : range })));
      known = null;
    }
    if (document.activeElement !== search) search.value = now.text;
    clear.hidden = !isFiltered(now);
    if (!known) {
      const found = await names(now, { signal });
      // Another range or name may have been chosen meanwhile, and shown.
      if (JSON.stringify(chosen()) !== JSON.stringify(now)) return;
      known = found;
    }
    for (const { kind, all, select } of selects) {
      const options = new Set([...known(kind), ...(now[kind] ? [now[kind]] : [])]);
      fill(select, h('option', { value: '' }, all), ...[...options].sort().map((name) => h('option', { value: name, selected: name === now[kind] }, name)));
      select.closest('.field').hidden = options.size === 0;
    }
  };
  return { element, update };
}

function field(label, control) {
  return h('div', { class: 'field' }, h('label', { for: control.id, class: 'hidden' }, label), control);
}
