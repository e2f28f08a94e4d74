// Elements by plain calls: h('a', { href: '#/tools' }, 'Tools'). Text is always text, never markup.

const SVG = 'http://www.w3.org/2000/svg';

export function h(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

// A name that others chose, which may be broken where its words end.
export function breakable(name) {
  return name.split(/(?<=[_./:-])(?![_./:-])/).flatMap((part, index) => (index > 0 ? [h('wbr'), part] : [part]));
}

// Replaces what is in an element.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

let choices = 0;

// A group of buttons of which one is chosen.
export function choice(label, options, chosen, onchoose) {
  const name = `choice-${(choices += 1)}`;
  const buttons = options.map(([value, text]) =>
    h('label', {},
      h('input', {
        type: 'radio', name, value, checked: value === chosen,
        onchange: () => onchoose(value),
      }),
      h('span', {}, text)));
  return h('fieldset', { class: 'choice' }, h('legend', { class: 'hidden' }, label), ...buttons);
}

// What a part of a page says when it has nothing to show, and what to do next.
export function empty(title, ...next) {
  return h('div', { class: 'empty' }, h('p', { class: 'empty-title' }, title), ...next);
}

export function problem(error) {
  return h('p', { class: 'notice problem', role: 'alert' }, error.message ?? String(error));
}
