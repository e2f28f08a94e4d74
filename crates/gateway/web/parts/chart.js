// Charts as SVG, each with a table for who cannot see it.

import { fill, h, svg } from './element.js';
import { percent } from './figures.js';

const HEIGHT = 240;
const TOP = 12;
const BOTTOM = 28;
const RIGHT = 4;

// Tables that the user opened stay open when the chart is drawn again.
const opened = new Set();

// Columns on a true axis: what is left of something, and on top of it what was saved. Points have `start` and `end` on the
// axis, labels, `before` and `after`; where there is nothing the axis stays empty. `show` says an amount in words.
export function columns(title, points, show, [beforeName, afterName]) {
  const picture = h('div', { class: 'picture' });
  const hint = h('div', { class: 'hint', hidden: true });
  const draw = (width) => fill(picture, image(title, points, show, width, (point, at) => tell(hint, point, at, show, width, [beforeName, afterName])), hint);
  // Drawn for the width that there is, so that words keep their size.
  new ResizeObserver(([{ contentRect }]) => contentRect.width > 0 && draw(contentRect.width)).observe(picture);
  const known = points.filter((point) => point.before > 0 || point.after > 0);
  return h('figure', { class: 'chart' },
    picture,
    h('figcaption', { class: 'row between' },
      h('span', { class: 'legend' }, h('span', { class: 'key saved' }, 'saved'), h('span', { class: 'key forwarded' }, afterName)),
      h('details', { class: 'as-table', open: opened.has(title), ontoggle: ({ target }) => opened[target.open ? 'add' : 'delete'](title) }, h('summary', {}, 'As a table'),
        h('table', {}, h('caption', { class: 'hidden' }, title),
          h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'when'), ...[beforeName, afterName, 'saved'].map((name) => h('th', { scope: 'col', class: 'n' }, name)))),
          h('tbody', {}, ...known.map((point) => h('tr', {}, h('th', { scope: 'row' }, point.long),
            ...[point.before, point.after, point.before - point.after].map((value) => h('td', { class: 'n' }, show(value))))))))));
}

function image(title, points, show, width, ontell) {
  const most = nice(Math.max(0, ...points.map((point) => Math.max(point.before, point.after))));
  const least = Math.min(0, ...points.map((point) => point.before));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * most);
  const left = 12 + 7.2 * Math.max(...ticks.map((tick) => show(tick, true).length));
  const height = HEIGHT - TOP - BOTTOM;
  const y = (value) => TOP + height - (height * (value - least)) / (most - least || 1);
  const [first, last] = [points[0].start, points.at(-1).end];
  const x = (at) => left + ((width - left - RIGHT) * (at - first)) / (last - first);
  const lines = ticks.map((tick) => [
    svg('line', { class: tick === 0 ? 'grid zero' : 'grid', x1: left, x2: width - RIGHT, y1: y(tick), y2: y(tick) }),
    svg('text', { class: 'axis', x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, show(tick, true)),
  ]);
  const named = namedPoints(points, x, width);
  const drawn = points.map((point) => {
    const [from, to] = [x(point.start), x(point.end)];
    const wide = Math.max(1, Math.min((to - from) * 0.74, 44));
    const at = (from + to) / 2 - wide / 2;
    const saved = point.before - point.after;
    return svg('g', { class: 'column', onpointerenter: () => ontell(point, (from + to) / 2), onpointerleave: () => ontell(null) },
      svg('rect', { class: 'reach', x: from, y: TOP, width: to - from, height }),
      bar(at, wide, y(0), y(Math.min(point.after, point.before)), 'forwarded', saved <= 0),
      saved > 0 && bar(at, wide, y(point.after), y(point.before), 'saved', true),
      saved < 0 && bar(at, wide, y(point.before), y(point.after), 'lost', true),
      named.has(point) && svg('text', { class: 'axis', x: Math.min((from + to) / 2, width - 22), y: HEIGHT - 8, 'text-anchor': 'middle' }, point.short));
  });
  return svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'img', 'aria-label': title }, ...lines.flat(), ...drawn);
}

// A part of a column; the one on top has round corners.
function bar(x, width, low, high, kind, isTop) {
  const height = low - high;
  if (!(height > 0)) return null;
  const r = isTop ? Math.min(3, width / 2, height) : 0;
  const path = `M${x} ${low}V${high + r}Q${x} ${high} ${x + r} ${high}H${x + width - r}Q${x + width} ${high} ${x + width} ${high + r}V${low}Z`;
  return svg('path', { class: kind, d: path });
}

// As many as have room, counted from the end: the latest is what people look for.
function namedPoints(points, x, width) {
  const longest = 14 + 6.4 * Math.max(...points.map((point) => point.short.length));
  const step = (x(points.at(-1).end) - x(points[0].start)) / points.length;
  const every = Math.max(1, Math.ceil(longest / step));
  return new Set(points.filter((_, index) => (points.length - 1 - index) % every === 0));
}

function tell(hint, point, at, show, width, [beforeName, afterName]) {
  hint.hidden = !point;
  if (!point) return;
  const line = (name, value, kind) => h('div', { class: 'row between' }, h('span', { class: `key ${kind}` }, name), h('strong', {}, value));
  const saved = point.before - point.after;
  fill(hint, h('p', {}, point.long),
    line(beforeName, show(point.before), 'none'), line(afterName, show(point.after), 'forwarded'),
    line('saved', point.before > 0 ? `${show(saved)} (${percent(saved, point.before)})` : show(saved), 'saved'));
  hint.style.setProperty('left', `${Math.max(96, Math.min(at, width - 96))}px`);
}

// A bar of which the filled part is what was saved; `most` is how long the longest is.
export function share(part, all, most = all) {
  const width = (value) => Math.max(0, Math.min(100, (100 * value) / (most || 1)));
  return svg('svg', { class: 'bar-chart', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'forwarded', width: width(all), height: 8 }),
    svg('rect', { class: 'saved', width: width(Math.max(0, part)), height: 8 }));
}

// The next round number that four lines divide well.
function nice(value) {
  if (!(value > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].map((step) => step * size).find((round) => round >= value * 0.999999);
}
