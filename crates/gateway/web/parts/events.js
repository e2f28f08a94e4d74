// Tool results as they pass: one connection for all pages, taken up again when it breaks.

import { asked, FORGE, reason, Refused } from './api.js';

const MOST = 500;
const LONGEST_PAUSE = 15_000;

const listeners = new Set();

// The latest first.
export const events = [];

export const state = { name: 'waiting', text: 'Connecting' };

// Calls back with each event, and with `null` when the connection changes, until the signal says otherwise.
export function listen(listener, signal) {
  listeners.add(listener);
  signal?.addEventListener('abort', () => listeners.delete(listener));
}

export async function start() {
  let pause = 500;
  for (;;) {
    try {
      await read(() => {
        pause = 500;
        become('live', 'Live');
      });
      become('waiting', 'Reconnecting');
    } catch (error) {
      become('broken', error.status === 0 ? 'Gateway not reachable' : error.message);
      // Reconnecting does not help: the user has to act first.
      if ([401, 403].includes(error.status) || !(error instanceof Refused)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

async function read(onopen) {
  const response = await asked(new URL('api/events?recent', FORGE));
  if (!response.ok) throw new Refused(response.status, await reason(response));
  onopen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    const messages = (rest + value).split('\n\n');
    rest = messages.pop();
    messages.filter((message) => message.startsWith('data: ')).forEach((message) => add(JSON.parse(message.slice(6))));
  }
}

function add(event) {
  event.id = event.original_fingerprint + event.compressed_fingerprint;
  event.key = [event.time, event.call_id, event.id].join();
  // After a reconnection the latest come again.
  if (events.some((known) => known.key === event.key)) return;
  events.unshift(event);
  events.length = Math.min(events.length, MOST);
  tell(event);
}

function become(name, text) {
  Object.assign(state, { name, text });
  tell(null);
}

function tell(event) {
  listeners.forEach((listener) => listener(event));
}
