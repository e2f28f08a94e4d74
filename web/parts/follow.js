// Draws a page again when something passes, not too often, and now and then in any case.

import { listen } from './events.js';

// A request is written down when its answer is over, which the event at its beginning cannot tell.
const SOON = 800;
const LATER = 4000;
const AT_LEAST_EVERY = 20_000;

export function follow(refresh, signal) {
  const waiting = new Map();
  // A long ledger takes seconds to read: the next time comes when this one is over.
  let running = null;
  const again = () => {
    if (!document.hidden) running ??= refresh().finally(() => { running = null; });
  };
  const after = (pause) => {
    if (waiting.has(pause)) return;
    waiting.set(pause, setTimeout(() => {
      waiting.delete(pause);
      again();
    }, pause));
  };
  listen((event) => event && [SOON, LATER].forEach(after), signal);
  const timer = setInterval(again, AT_LEAST_EVERY);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    waiting.forEach(clearTimeout);
  });
}
