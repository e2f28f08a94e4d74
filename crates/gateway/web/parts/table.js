// Tables that are sorted by whichever column one likes.

import { fill, h } from './element.js';

const FIRST_ROWS = 10;

// By what each table is sorted, and which are shown whole, also after they were drawn anew.
const orders = new Map();
const whole = new Set();

// Columns have a name, what to sort by, what to show, and perhaps a class; the first names the row.
export function table(caption, columns, rows, { sort = 0, first = FIRST_ROWS, id = caption } = {}) {
  let order = orders.get(id) ?? { column: sort, isUp: false };
  const head = h('tr');
  const body = h('tbody');
  const more = h('div');
  const draw = () => {
    fill(head, ...columns.map((column, index) => header(column, index, order, choose)));
    const sorted = [...rows].sort((one, other) => compared(columns[order.column], one, other) * (order.isUp ? 1 : -1));
    const isAll = whole.has(id);
    fill(body, ...(isAll ? sorted : sorted.slice(0, first)).map((row) => h('tr', {}, ...columns.map((column, index) => cell(column, row, index)))));
    const rest = rows.length - first;
    fill(more, !isAll && rest > 0 && h('button', { type: 'button', class: 'quiet', onclick: all }, `Show ${rest} more`));
  };
  const choose = (index) => {
    order = { column: index, isUp: order.column === index ? !order.isUp : typeof columns[index].by(rows[0] ?? {}) === 'string' };
    orders.set(id, order);
    draw();
    head.children[index].querySelector('button').focus();
  };
  const all = () => {
    whole.add(id);
    draw();
    body.rows[first]?.querySelector('a')?.focus();
  };
  draw();
  return h('div', { class: 'stack tight' }, h('table', { class: 'sorted' }, h('caption', { class: 'hidden' }, caption), h('thead', {}, head), body), more);
}

function header(column, index, order, choose) {
  const isSorted = order.column === index;
  const direction = order.isUp ? 'ascending' : 'descending';
  if (!column.by) return h('th', { scope: 'col', class: column.class }, column.name);
  return h('th', { scope: 'col', class: column.class, 'aria-sort': isSorted ? direction : null },
    h('button', { type: 'button', class: 'sort', onclick: () => choose(index) }, column.name));
}

function cell(column, row, index) {
  const shown = column.show ? column.show(row) : String(column.by(row));
  return index === 0
    ? h('th', { scope: 'row', class: column.class }, shown)
    : h('td', { class: column.class }, shown);
}

function compared(column, one, other) {
  const [a, b] = [column.by(one), column.by(other)];
  if (typeof a === 'string') return a.localeCompare(b);
  const [x, y] = [a ?? -Infinity, b ?? -Infinity];
  return x === y ? 0 : x - y;
}
