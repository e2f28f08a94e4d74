// The frame around the pages: which one is shown, the theme, and whether the gateway is there.

import { h, fill, problem } from './parts/element.js';
import { listen, start, state } from './parts/events.js';
import { address, chosen, place } from './parts/route.js';
import { signIn } from './parts/session.js';

const PAGES = ['overview', 'sessions', 'session', 'results', 'untouched', 'fetched', 'playground', 'tools', 'settings'];
// These are about the same range, and the same filters.
const PAST = ['overview', 'sessions', 'untouched', 'fetched'];
// Where pages were before.
const MOVED = { requests: 'results' };
const THEMES = ['auto', 'light', 'dark'];

const main = document.getElementById('main');
let shown = null;

async function show() {
  const { name, rest, query } = place();
  if (MOVED[name]) return location.replace(address([MOVED[name], ...rest].join('/')));
  if (!PAGES.includes(name)) return location.replace('#/overview');
  if (PAST.includes(name)) carry(chosen(query));
  // A page may show another part of itself without being made anew.
  if (shown?.name === name && shown.visit.move) return shown.visit.move(rest);
  shown?.leaving.abort();
  const leaving = new AbortController();
  const isFirst = shown === null;
  const visit = { signal: leaving.signal, rest, move: null };
  shown = { name, leaving, visit };
  try {
    const page = await import(`./pages/${name}.js`);
    if (leaving.signal.aborted) return;
    mark(page.parent ?? name);
    document.title = `${page.title} · Tokenforge`;
    const heading = h('h1', { tabindex: '-1' }, page.title);
    const content = h('div', { class: 'page' });
    fill(main, h('div', { class: 'head' }, heading, h('p', { class: 'lead' }, page.lead)), content);
    if (!isFirst) {
      scrollTo(0, 0);
      heading.focus();
    }
    await page.show(content, visit);
  } catch (error) {
    if (error.name !== 'AbortError' && !leaving.signal.aborted) main.append(problem(error));
  }
}

const links = () => [...document.querySelectorAll('.pages a')];
const pageOf = (link) => link.hash.replace('#/', '').split('?')[0];

// What is chosen goes along to the next page.
function carry(now) {
  for (const link of links()) {
    if (PAST.includes(pageOf(link))) link.hash = address(pageOf(link), now);
  }
}

function mark(name) {
  for (const link of links()) {
    link.toggleAttribute('aria-current', false);
    if (pageOf(link) !== name) continue;
    link.setAttribute('aria-current', 'page');
    // On a phone the bar is wider than the screen.
    link.closest('ul').scrollTo({ left: link.offsetLeft - 120 });
  }
}

function theme() {
  const button = document.getElementById('theme');
  let now = document.documentElement.dataset.theme ?? 'auto';
  const say = () => {
    button.textContent = `Theme: ${now}`;
    button.setAttribute('aria-label', `Theme: ${now}. Change it.`);
  };
  button.addEventListener('click', () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (now === 'auto') {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem('forge.theme');
    } else {
      document.documentElement.dataset.theme = now;
      localStorage.setItem('forge.theme', now);
    }
    say();
  });
  say();
}

function connection() {
  const live = document.getElementById('live');
  const say = () => {
    if (live.textContent !== state.text) live.textContent = state.text;
    live.dataset.state = state.name;
  };
  listen((event) => event ?? say());
  say();
  start();
}

document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener('hashchange', show);
theme();
// First, so that everything after it is asked for with the session.
const refused = await signIn();
connection();
await show();
if (refused) main.prepend(problem(refused));
