// What the ledger says about the range and the filters that are chosen.

import { api } from './api.js';
import { edges, USUAL } from './range.js';
import { CHOICES } from './route.js';

const FILTERS = CHOICES.filter((name) => name !== 'range');

export const isFiltered = (chosen) => FILTERS.some((name) => chosen[name]);

const rangeOf = (chosen) => chosen.range || USUAL;

// Filters as the gateway reads them; others may be added.
function query(chosen, more = {}) {
  const all = { ...Object.fromEntries(FILTERS.map((name) => [name, chosen[name]])), ...more };
  return new URLSearchParams(Object.entries(all).filter(([, value]) => value));
}

// Everything about the range, over time and by every name. `null` if there is no ledger.
export async function history(chosen, options) {
  const range = rangeOf(chosen);
  let first = 0;
  if (range === 'all') {
    const gain = await api('gain', { optional: true, ...options });
    if (!gain) return null;
    first = Date.parse(gain.since ?? new Date()) / 1000;
  }
  return api(`history?${query(chosen, { edges: edges(range, first).join() })}`, { optional: true, ...options });
}

// The names that there are to choose from in this range, whatever else is chosen.
export async function names(chosen, options) {
  const past = await api(`history?${query({}, { since: since(chosen) })}`, { optional: true, ...options });
  return (kind) => (past?.rows[kind]?.rows ?? []).map((row) => row.name).filter((name) => !/^\(.*\)$/.test(name));
}

export const sessions = (chosen, limit, options) =>
  api(`sessions?${query(chosen, { since: since(chosen), limit })}`, { optional: true, ...options });

export const fetches = (chosen, options) =>
  api(`fetches?${query(chosen, { since: since(chosen), limit: 500 })}`, { optional: true, ...options });

export const gain = (chosen, more, options) =>
  api(`gain?${query(chosen, { since: since(chosen), ...more })}`, { optional: true, ...options });

// The first second of the range, the same as that of its chart; nothing for all of it.
function since(chosen) {
  const range = rangeOf(chosen);
  return range === 'all' ? '' : String(edges(range, 0)[0]);
}
