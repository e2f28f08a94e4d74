// Two texts side by side: lines that are the same stand beside each other.

import { h } from './element.js';

// Beyond so many differences the rest counts as replaced: the search takes their square.
const MOST_EDITS = 1000;

const CONTEXT = 3;
const FIRST_ROWS = 400;

// The rows of a diff: [left, right], where one may be null, and `same` if both are the same line.
export function rows(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (line) => ({ left: line, right: line, same: true });
  return [
    ...a.slice(0, start).map(same),
    ...paired(changed(a.slice(start, a.length - end), b.slice(start, b.length - end))),
    ...a.slice(a.length - end).map(same),
  ];
}

// Myers' shortest edit script, as a list of ['=' | '-' | '+', line].
function changed(a, b) {
  const replaced = () => [...a.map((line) => ['-', line]), ...b.map((line) => ['+', line])];
  if (a.length === 0 || b.length === 0) return replaced();
  const trace = [];
  let reached = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(a.length + b.length, MOST_EDITS); edits += 1) {
    trace.push(new Map(reached));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1));
      let x = down ? reached.get(diagonal + 1) : reached.get(diagonal - 1) + 1;
      let y = x - diagonal;
      while (x < a.length && y < b.length && a[x] === b[y]) [x, y] = [x + 1, y + 1];
      reached.set(diagonal, x);
      if (x >= a.length && y >= b.length) return backwards(a, b, trace);
    }
  }
  return replaced();
}

function backwards(a, b, trace) {
  const script = [];
  let [x, y] = [a.length, b.length];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reached = trace[edits];
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1));
    const before = down ? diagonal + 1 : diagonal - 1;
    const fromX = reached.get(before) ?? 0;
    const fromY = fromX - before;
    while (x > fromX && y > fromY && x > 0 && y > 0) script.push(['=', a[(y -= 1, x -= 1)]]);
    if (edits > 0) script.push(down ? ['+', b[(y -= 1)]] : ['-', a[(x -= 1)]]);
  }
  return script.reverse();
}

// Lines that went and lines that came in their place share rows.
function paired(script) {
  const rows = [];
  let [gone, come] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(gone.length, come.length); index += 1) {
      rows.push({ left: gone[index] ?? null, right: come[index] ?? null, same: false });
    }
    [gone, come] = [[], []];
  };
  for (const [kind, line] of script) {
    if (kind === '-') gone.push(line);
    else if (kind === '+') come.push(line);
    else {
      flush();
      rows.push({ left: line, right: line, same: true });
    }
  }
  flush();
  return rows;
}

// Where there is no room for two columns, lines that went stand above those that came.
function stacked(rows) {
  const stack = [];
  let come = [];
  const flush = () => {
    stack.push(...come);
    come = [];
  };
  for (const row of rows) {
    if (row.same) {
      flush();
      stack.push(row);
      continue;
    }
    if (row.left != null) stack.push({ left: row.left, right: null, same: false });
    if (row.right != null) come.push({ left: null, right: row.right, same: false });
  }
  flush();
  return stack;
}

// The diff as a table; long stretches without a change are folded.
export function diff(before, after, [leftName, rightName]) {
  const isNarrow = matchMedia('(max-width: 46rem)').matches;
  const all = isNarrow ? stacked(rows(before, after)) : rows(before, after);
  const near = all.map(() => false);
  all.forEach((row, index) => {
    if (row.same) return;
    for (let at = Math.max(0, index - CONTEXT); at <= Math.min(all.length - 1, index + CONTEXT); at += 1) near[at] = true;
  });
  const isChanged = near.includes(true);
  let [leftLine, rightLine] = [0, 0];
  const lines = [];
  for (let index = 0; index < all.length; index += 1) {
    const row = all[index];
    const next = near[index] || !isChanged ? index : near.indexOf(true, index);
    const length = (next < 0 ? all.length : next) - index;
    if (length > 4) {
      lines.push(h('tr', { class: 'fold' }, h('td', { colspan: '4' }, `${length} lines are the same`)));
      [leftLine, rightLine] = [leftLine + length, rightLine + length];
      index += length - 1;
      continue;
    }
    leftLine += row.left == null ? 0 : 1;
    rightLine += row.right == null ? 0 : 1;
    lines.push(h('tr', { class: row.same ? 'same' : 'changed' },
      ...cell(row.left, leftLine, 'gone', row.same), ...cell(row.right, rightLine, 'come', row.same)));
  }
  const body = h('tbody', {}, ...lines.slice(0, FIRST_ROWS));
  const table = h('table', { class: 'diff' },
    h('caption', { class: 'hidden' }, `${leftName} beside ${rightName}`),
    h('colgroup', {}, ...['numbers', null, 'numbers', null].map((kind) => h('col', { class: kind }))),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col', colspan: '2' }, leftName), h('th', { scope: 'col', colspan: '2' }, rightName))),
    body);
  const rest = lines.slice(FIRST_ROWS);
  const more = rest.length > 0 && h('button', {
    type: 'button', onclick: (event) => {
      body.append(...rest);
      event.target.remove();
    },
  }, `Show ${rest.length} more rows`);
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${leftName} beside ${rightName}` }, table, more);
}

function cell(line, number, kind, isSame) {
  if (line == null) return [h('td', { class: 'number none' }), h('td', { class: 'none' })];
  const mark = isSame ? null : h('span', { class: 'hidden' }, kind === 'gone' ? 'removed: ' : 'added: ');
  return [h('td', { class: `number ${isSame ? '' : kind}` }, String(number)), h('td', { class: isSame ? '' : kind }, mark, line)];
}
