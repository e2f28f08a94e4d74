// What it would have cost and what it cost, over time.

import { columns } from './chart.js';
import { choice, h } from './element.js';
import { brief, count, dollars, percent, plural } from './figures.js';
import { labels, NAMES, USUAL } from './range.js';

// The unit that the user chose, kept when the page is drawn again.
let chosen = null;

// The units in which the difference can be told, the one that one pays first.
function units({ gain, series }) {
  const context = gain.shares.find((each) => each.of === 'whole context');
  const tokens = (value, isAxis) => (isAxis ? brief(value) : count(Math.round(value)));
  return [
    gain.cost?.requests > 0 && {
      name: 'dollars', label: 'Dollars', verbs: ['would have cost', 'cost'], show: (value, isAxis) => (isAxis ? axisDollars(value) : dollars(value)),
      sum: gain.cost, of: 'of the bill',
      points: series.map(({ cost }) => ({ before: cost?.before ?? 0, after: cost?.after ?? 0 })),
    },
    context?.requests > 0 && {
      name: 'context', label: 'Context tokens', verbs: ['would have been', 'was'], show: tokens, of: 'of the whole context', unit: 'tokens of context',
      sum: { before: context.before, after: context.before - context.saved, saved: context.saved },
      points: series.map(({ context: { before, saved } }) => ({ before, after: before - saved })),
    },
    {
      name: 'output', label: 'Tool output', verbs: ['would have been', 'was'], show: tokens, of: 'of all tool output', unit: 'tokens of tool output',
      sum: { before: gain.tokens.before, after: gain.tokens.before - gain.tokens.net, saved: gain.tokens.net },
      points: series.map(({ tokens: { before, net } }) => ({ before, after: before - net })),
    },
  ].filter(Boolean);
}

const axisDollars = (value) => (value === 0 ? '$0' : value >= 10 ? `$${brief(value)}` : dollars(value).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''));

// The sums, and a column for each stretch of time.
export function bill(past, now) {
  const all = units(past);
  const unit = all.find(({ name }) => name === chosen) ?? all[0];
  const { sum, show } = unit;
  const range = now.range || USUAL;
  const points = past.series.map(({ start, end }, index) => ({ start, end, ...labels(range, start, end), ...unit.points[index] }));
  const figure = (name, value, kind, about) => h('div', { class: `amount ${kind}` }, h('dt', {}, name), h('dd', {}, value), about && h('dd', { class: 'about' }, about));
  const isLoss = sum.saved < 0;
  const amount = (value) => (unit.unit ? brief(value) : show(value));
  const panel = h('section', { class: 'panel bill' },
    h('div', { class: 'row between top' },
      h('dl', { class: 'amounts' },
        figure(isLoss ? 'More than without' : 'Saved', amount(Math.abs(sum.saved)), isLoss ? 'lost' : 'saved', `${percent(sum.saved, sum.before)} ${unit.of}`),
        figure(capital(unit.verbs[0]), amount(sum.before), 'before', unit.unit),
        figure(capital(unit.verbs[1]), amount(sum.after), 'after', unit.unit)),
      all.length > 1 && choice('Unit', all.map(({ name, label }) => [name, label]), unit.name, (name) => {
        chosen = name;
        const drawn = bill(past, now);
        panel.replaceWith(drawn);
        drawn.querySelector('input:checked').focus();
      })),
    columns(`What it ${unit.verbs[0]} and ${unit.verbs[1]} ${NAMES[range]}`, points, show, unit.verbs),
    h('p', { class: 'muted' }, sentence(past.gain)));
  return panel;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The sentence of `tokenforge gain --cost`.
function sentence({ cost, subscription_requests: subscriptions, requests, results }) {
  const what = `${plural(results, 'result')} in ${plural(requests, 'request')}. `;
  if (!cost) return what + (subscriptions > 0 ? 'With a subscription no token has a price.' : 'No request named a model with a known price; see “prices” in the settings.');
  const elsewhere = cost.saved_elsewhere !== 0 ? ` In the other requests ${dollars(cost.saved_elsewhere)} was saved, at list prices.` : '';
  if (cost.requests === 0) return `${what}${elsewhere.replace('In the other requests ', '')}`.trim();
  return `${what}${plural(cost.requests, 'request')} cost ${dollars(cost.after)} instead of ${dollars(cost.before)}, at list prices.${elsewhere}`;
}
