// Asks for a token or a key, and keeps it for this tab only.

import { h } from './element.js';

const asking = new Map();

export const KINDS = {
  token: {
    title: 'Admin token',
    about: 'This gateway shows its figures only with its admin token. It is kept in this tab until you close it. Or close this, run “tokenforge dashboard” in a terminal, and open the link that it prints.',
  },
  key: {
    title: 'Gateway key',
    about: 'Tools of this gateway are for clients with a key. It is kept in this tab until you close it.',
  },
};

export const shown = (kind) => sessionStorage.getItem(`forge.${kind}`);

// Resolves when there is a new one; rejects if the person does not want to.
export function ask(kind, wasWrong) {
  if (!asking.has(kind)) {
    asking.set(kind, dialog(kind, wasWrong).finally(() => asking.delete(kind)));
  }
  return asking.get(kind);
}

function dialog(kind, wasWrong) {
  const { title, about } = KINDS[kind];
  return new Promise((resolve, reject) => {
    const input = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true });
    const form = h('form', { method: 'dialog' },
      h('h2', {}, title),
      h('p', {}, about),
      wasWrong && h('p', { class: 'notice problem', role: 'alert' }, 'That was not the right one.'),
      h('label', { for: 'token' }, title), input,
      h('div', { class: 'row end' },
        h('button', { type: 'button', class: 'quiet', onclick: () => box.close('') }, 'Not now'),
        h('button', { type: 'submit', class: 'primary' }, 'Continue')));
    const box = h('dialog', { 'aria-label': title }, form);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      box.close(input.value.trim());
    });
    box.addEventListener('close', () => {
      box.remove();
      if (!box.returnValue) return reject(new Error(`Nothing can be shown without the ${title.toLowerCase()}.`));
      sessionStorage.setItem(`forge.${kind}`, box.returnValue);
      resolve();
    });
    document.body.append(box);
    box.showModal();
  });
}
