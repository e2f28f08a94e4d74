// A tool server with two tools, weather and search, over standard input and output.

import { createInterface } from 'node:readline';

const CITY = { type: 'object', properties: { city: { type: 'string', description: 'The name of a city' } }, required: ['city'] };
const QUERY = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer', minimum: 1, maximum: 50, default: 12 } },
  required: ['query'],
};

const TOOLS = {
  weather: {
    description: 'The weather in a city, now and in the next days', inputSchema: CITY,
    answer: ({ city }) => ({
      location: city,
      current: { temperature: 18, humidity: 72, conditions: 'Partly cloudy', wind_speed: 12 },
      forecast: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'].map((day, n) =>
        ({ day, high: 20 - n, low: 14 - n, conditions: ['Sunny', 'Cloudy', 'Rain'][n % 3] })),
    }),
  },
  search: {
    description: 'Pages about something', inputSchema: QUERY,
    answer: ({ query, limit = 12 }) => Array.from({ length: limit }, (_, n) =>
      ({ rank: n + 1, title: `${query}: result ${n + 1}`, url: `https://example.com/${n + 1}`, score: Number((1 / (n + 1)).toFixed(3)) })),
  },
  broken: {
    description: 'Fails, whatever it is asked', inputSchema: { type: 'object' },
    answer: () => { throw new Error('the service is down'); },
  },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'demo', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })) }),
  'tools/call': ({ name, arguments: given }) => {
    try {
      return { content: [{ type: 'text', text: JSON.stringify(TOOLS[name].answer(given ?? {}), null, 2) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = METHODS[method]
    ? { result: METHODS[method](params ?? {}) }
    : { error: { code: -32601, message: `there is no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
