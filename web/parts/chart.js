// Charts as SVG, each with a table for who cannot see it.

import { h, svg } from './element.js';
import { brief, count, percent } from './figures.js';

// A phone shows the same height on half the width, so that words stay readable.
const WIDTH = matchMedia('(max-width: 46rem)').matches ? 360 : 720;
const HEIGHT = 200;
const LEFT = 48;
const RIGHT = 16;
const BOTTOM = 24;

// Columns over time: what was forwarded, and on top of it what was saved. Points have a label, before and after.
export function columns(title, points) {
  const most = nice(Math.max(1, ...points.map((point) => Math.max(point.before, point.after))));
  const height = HEIGHT - BOTTOM - 8;
  const y = (value) => 8 + height - (height * value) / most;
  const step = (WIDTH - LEFT - RIGHT) / points.length;
  const width = Math.max(1, Math.min(step * 0.72, 40));
  const lines = [0, 0.5, 1].map((part) => [
    svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(part * most), y2: y(part * most) }),
    svg('text', { class: 'axis', x: LEFT - 8, y: y(part * most) + 4, 'text-anchor': 'end' }, brief(part * most)),
  ]);
  const every = [1, 2, 5, 10, 20, 50, 100].find((each) => each >= points.length / (WIDTH / 90)) ?? points.length;
  // Counted from the end: the latest is what people look for.
  const isNamed = (index) => (points.length - 1 - index) % every === 0;
  const drawn = points.map((point, index) => {
    const x = LEFT + step * index + (step - width) / 2;
    const saved = Math.max(0, point.before - point.after);
    const hint = `${point.label}: ${count(point.before)} tokens, ${count(saved)} saved`;
    return svg('g', { class: 'column' },
      svg('title', {}, hint),
      svg('rect', { class: 'reach', x: LEFT + step * index, y: 8, width: step, height }),
      svg('rect', { class: 'saved', x, width, y: y(point.before), height: Math.max(0, y(point.after) - y(point.before)) }),
      svg('rect', { class: 'forwarded', x, width, y: y(point.after), height: y(0) - y(point.after) }),
      isNamed(index) &&
        svg('text', { class: 'axis', x: x + width / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, point.label));
  });
  const image = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title }, ...lines.flat(), ...drawn);
  const rows = points.filter((point) => point.before > 0);
  return h('figure', { class: 'chart' },
    image,
    h('figcaption', { class: 'legend' },
      h('span', { class: 'key saved' }, 'saved'), h('span', { class: 'key forwarded' }, 'forwarded')),
    h('table', { class: 'hidden' },
      h('caption', {}, title),
      h('thead', {}, h('tr', {}, ...['when', 'tokens', 'forwarded'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, ...rows.map((point) =>
        h('tr', {}, h('th', { scope: 'row' }, point.label), h('td', {}, count(point.before)), h('td', {}, count(point.after)))))));
}

// A bar of which the filled part is what was saved.
export function bar(saved, all, most) {
  const width = (value) => Math.max(0, (100 * value) / (most || 1));
  const label = `${percent(saved, all)} saved`;
  return svg('svg', { class: 'bar-chart', viewBox: '0 0 100 8', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    svg('rect', { class: 'forwarded', width: width(all), height: 8, rx: 1 }),
    svg('rect', { class: 'saved', width: width(Math.max(0, saved)), height: 8, rx: 1 }));
}

// The next round number.
function nice(value) {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * size).find((round) => round >= value);
}
