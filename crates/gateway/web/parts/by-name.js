// Which tools, projects, models and clients, with their share of the savings.

import { share } from './chart.js';
import { breakable, choice, fill, h } from './element.js';
import { count, dollars, percent, plural, words } from './figures.js';
import { address } from './route.js';
import { table } from './table.js';

const TABLES = [['tool', 'Tools'], ['project', 'Projects'], ['model', 'Models'], ['client', 'Clients'], ['stage', 'Stages']];

// The table that the user chose, kept when the page is drawn again.
let chosen = 'tool';

// A name that is clicked becomes the filter.
export function byName({ gain, rows }, now) {
  const panel = h('section', { class: 'panel' });
  // Of a loss there are no shares.
  const all = gain.tokens.net;
  const canFilter = (kind, name) => kind !== 'stage' && !/^\(.*\)$/.test(name);
  const draw = () => {
    const kind = chosen;
    const name = (row) => (canFilter(kind, row.name) ? h('a', { href: address('overview', { ...now, [kind]: row.name }) }, ...breakable(row.name)) : words(row.name).replace(/^\((.*)\)$/, '$1'));
    const found = rows[kind].rows.filter((row) => row.results > 0 || row.net !== 0);
    fill(panel, h('div', { class: 'row between' }, h('h2', {}, 'Where it was saved'),
      choice('By', TABLES, kind, (by) => {
        chosen = by;
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
      { name: 'share of savings', class: 'share', by: (row) => row.net, show: (row) => (all > 0 ? h('span', { class: 'bar-cell' }, share(row.net, 0, all), percent(row.net, all)) : '–') },
      { name: 'USD', class: 'n wide', by: (row) => row.cost_saved, show: (row) => (row.cost_saved == null ? '–' : dollars(row.cost_saved)) },
    ], found, { sort: 5 }),
    rows[kind].left_out > 0 && h('p', { class: 'muted' }, `${plural(rows[kind].left_out, 'smaller row')} left out.`));
  };
  draw();
  return panel;
}
