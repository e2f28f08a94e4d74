// The saving against four denominators, as `tokenforge gain` prints them.

import { share } from './chart.js';
import { h } from './element.js';
import { brief, dollars, percent } from './figures.js';

const OF = {
  'outputs touched': 'of the outputs touched', 'all tool output': 'of all tool output',
  'whole context': 'of the whole context', bill: 'of the bill',
};

export function shares(gain) {
  const row = (each) => {
    const show = each.of === 'bill' ? dollars : (value) => brief(value);
    const isKnown = each.share != null;
    return h('li', {},
      h('span', { class: 'share-name' }, OF[each.of] ?? each.of),
      h('strong', {}, isKnown ? percent(each.share, 1) : '?'),
      share(isKnown ? each.share : 0, 1),
      h('span', { class: 'muted' }, isKnown ? `${show(each.saved)} of ${show(each.before)}${each.of === 'bill' ? '' : ' tokens'}` : each.note));
  };
  return h('section', { class: 'panel' }, h('h2', {}, 'Saved, and of what'), h('ul', { class: 'shares' }, ...gain.shares.map(row)));
}
