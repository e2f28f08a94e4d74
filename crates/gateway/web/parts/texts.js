// Texts as they are, with a button that copies them.

import { h } from './element.js';

const FIRST = 20_000;

// A text in a box of its own.
export function text(content, label) {
  const shown = h('code', {}, content.slice(0, FIRST));
  const more = content.length > FIRST && h('button', {
    type: 'button', onclick: (event) => {
      shown.textContent = content;
      event.target.remove();
    },
  }, `Show all ${content.length.toLocaleString('en')} characters`);
  return h('div', { class: 'text' }, copy(content, label),
    h('pre', { tabindex: '0', role: 'region', 'aria-label': label }, shown), more);
}

export function copy(content, label) {
  return h('button', {
    type: 'button', class: 'quiet copy', 'aria-label': `Copy: ${label}`,
    onclick: async ({ currentTarget: button }) => {
      const done = await navigator.clipboard?.writeText(content).then(() => true, () => false);
      button.textContent = done ? 'Copied' : 'Cannot copy';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    },
  }, 'Copy');
}

// A command to copy.
export function command(line) {
  return h('div', { class: 'command' }, h('code', {}, line), copy(line, line));
}

// What each stage did: its name, what came of it, its tokens. Those without a part in it are folded.
export function stages(steps, onshow) {
  const row = (step) => h('li', { class: step.is_applied ? 'applied' : 'passed' },
    h('span', { class: 'stage' }, step.stage.replaceAll('_', ' ')),
    h('span', { class: `tag ${step.fidelity}` }, step.fidelity),
    h('span', { class: 'outcome' }, step.outcome),
    h('span', { class: 'number' }, step.tokens_before == null ? '' : `${step.tokens_before.toLocaleString('en')} → ${step.tokens_after.toLocaleString('en')}`),
    onshow && step.text != null
      && h('button', { type: 'button', class: 'quiet', onclick: () => onshow(step) }, h('span', { class: 'hidden' }, `${step.stage}: `), 'text'));
  const applied = steps.filter((step) => step.is_applied);
  const passed = steps.filter((step) => !step.is_applied);
  return h('div', { class: 'stages' },
    applied.length > 0 ? h('ol', {}, ...applied.map(row)) : h('p', { class: 'muted' }, 'No stage had a part in it.'),
    passed.length > 0 && h('details', {}, h('summary', {}, passed.length === 1 ? 'One stage left it as it was' : `${passed.length} stages left it as it was`), h('ul', {}, ...passed.map(row))));
}
