// Tools that agents declare with every request and never call, and what that costs.

import { breakable, h } from './element.js';
import { count, dollars, percent, plural } from './figures.js';
import { table } from './table.js';
import { command } from './texts.js';

const price = (cost) => (cost == null ? '–' : dollars(cost));
// Where there is no price, tokens say which is the dearest.
const dearest = (row) => row.cost ?? row.tokens / 1e9;

// Clients choose the names of tools: what a shell would take for more than a word is not offered to copy.
const isPlain = (name) => /^[\w.-]+$/.test(name);

// Nothing where no request said what it declares, or where every tool was called.
export function unusedTools({ declarations: found }) {
  if (!found || found.unused.length === 0) return null;
  const all = found.servers.reduce((sum, server) => sum + server.tools, 0);
  const { unused_tokens: tokens, unused_cost: cost } = found;
  const ofServers = found.servers.filter((server) => server.unused > 0).map((server) =>
    h('li', {}, h('strong', {}, server.server ?? server.client), ` ${server.server ? `(${server.client}) ` : ''}${count(server.unused)} of ${plural(server.tools, 'tool')}, ${price(server.unused_cost)}`));
  return h('section', { class: 'panel stack', id: 'unused-tools' },
    h('h2', {}, `${count(found.unused.length)} of ${plural(all, 'declared tool')} never called`),
    h('p', { class: 'muted' }, `Their declarations are ${percent(tokens, found.tokens)} of those in ${plural(found.requests, 'request')}: ${count(tokens)} tokens${cost == null ? '' : `, ${dollars(cost)}`}.`),
    table('Tools never called', [
      { name: 'tool', by: (row) => row.tool.toLowerCase(), show: (row) => h('span', {}, ...breakable(row.tool)) },
      { name: 'agent', class: 'wide', by: (row) => row.client },
      { name: 'tool server', class: 'wide', by: (row) => row.server ?? '', show: (row) => row.server ?? '–' },
      { name: 'tokens each', class: 'n', by: (row) => row.declaration, show: (row) => count(row.declaration) },
      { name: 'requests', class: 'n wide', by: (row) => row.requests, show: (row) => count(row.requests) },
      { name: 'USD', class: 'n', by: dearest, show: (row) => price(row.cost) },
    ], found.unused, { sort: 5, first: 5 }),
    h('ul', {}, ...ofServers),
    h('p', {}, 'An agent does not declare what is off in its own settings:'),
    command(`tokenforge tools disable ${found.unused.map((row) => row.tool).find(isPlain) ?? 'NAME'}`));
}
