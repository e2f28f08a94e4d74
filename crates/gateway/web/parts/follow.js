// When a page is drawn: again when something passes, not too often, and now and then in any case.

import { listen } from './events.js';

// A request is written down when its answer is over, which the event at its beginning cannot tell.
const SOON = 800;
const LATER = 4000;
const AT_LEAST_EVERY = 20_000;

// A question that is asked anew before it is answered: answers may come in any order, and only that of the latest is drawn.
// `ask` gives what draws its answer.
export function latestOnly(ask, fail, signal) {
  let latest = 0;
  return async () => {
    const turn = (latest += 1);
    const isLatest = () => turn === latest && !signal.aborted;
    try {
      const draw = await ask();
      if (isLatest()) draw();
    } catch (error) {
      if (isLatest()) fail(error);
    }
  };
}

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
