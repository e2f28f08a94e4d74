// Every setting: its value, where that is from, and a control where it can change while the gateway runs.

import { api } from '../parts/api.js';
import { fill, h, problem } from '../parts/element.js';

export const title = 'Settings';
export const lead = 'What is in effect, and where each value is from. Changes made here count at once and last until the gateway stops or reads its file again.';

// The common settings (the gateway says which they are), by what they are about. Everything else is advanced.
const GROUPS = [
  ['What is done to tool results', /^pipes\.tool_output\.(?!redact)/],
  ['Secrets', /redact_secrets$/],
  ['Where requests go, and who may send them', /^(listen|allow_public|keys|admin_token|upstreams\.|routes)/],
  ['What is kept and shown', /^(ledger|monitoring\.|store\.|prices)/],
  ['Tool servers, plugins and the rest', /^/],
];
const SECTIONS = { '': 'General', pipes: 'Tool results', toon: 'JSON in prompts', upstreams: 'Providers', store: 'Store', monitoring: 'Logs and traces', limits: 'Limits' };
const WHEN = { at_once: 'at once', reload: 'when the file is read again', restart: 'after a restart' };

export async function show(page, { signal }) {
  const search = h('input', { type: 'search', id: 'search', placeholder: 'mode, secrets, price …' });
  const sections = h('div', { class: 'stack' });
  const only = h('input', { type: 'checkbox', id: 'changed' });
  fill(page, h('div', { class: 'row filters' },
    h('div', { class: 'field' }, h('label', { for: 'search' }, 'Find a setting'), search),
    h('label', { class: 'check' }, only, 'Only those that are not the default')), sections);
  let { settings } = await api('settings', { signal });

  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (setting) => words.every((word) => `${setting.path} ${setting.about}`.toLowerCase().includes(word))
      && (!only.checked || setting.origin.from !== 'default');
    const isSearch = words.length > 0 || only.checked;
    const group = ({ path }) => GROUPS.find(([, paths]) => paths.test(path))[0];
    const main = GROUPS.map(([name]) => [name, settings.filter((each) => each.common && group(each) === name && fits(each))]);
    const rest = settings.filter((each) => !each.common && fits(each));
    const section = ([name, list]) => list.length > 0 && h('section', { class: 'panel flush' }, h('h2', {}, name), h('ul', { class: 'settings' }, ...list.map((setting) => row(setting, change))));
    const advanced = Object.entries(Object.groupBy(rest, (setting) => (setting.path.includes('.') ? setting.path.split('.')[0] : '')));
    if (main.every(([, list]) => list.length === 0) && rest.length === 0) return fill(sections, h('p', { class: 'muted' }, 'No setting fits.'));
    const isOpen = sections.querySelector('.advanced')?.open ?? false;
    fill(sections, ...main.map(section), rest.length > 0 && h('details', { class: 'advanced', open: isOpen || isSearch },
      h('summary', {}, 'Advanced ', h('span', { class: 'muted' }, `${rest.length} more settings`)),
      h('div', { class: 'stack' }, ...advanced.map(([name, list]) => section([SECTIONS[name] ?? name, list])))));
  };
  const change = async (setting, value) => {
    const patch = setting.path.split('.').reduceRight((inner, key) => ({ [key]: inner }), value);
    await api('config', { method: 'PATCH', body: JSON.stringify(patch) });
    ({ settings } = await api('settings', { signal }));
    const focused = document.activeElement?.id;
    draw();
    document.getElementById(focused)?.focus();
    return settings.find((each) => each.path === setting.path);
  };
  search.addEventListener('input', draw);
  only.addEventListener('change', draw);
  draw();
}

function row(setting, change) {
  const id = `setting-${setting.path.replaceAll('.', '-')}`;
  const said = h('div', { role: 'status' });
  const apply = async (value) => {
    try {
      await change(setting, value);
      const again = document.getElementById(id)?.closest('li')?.querySelector('[role=status]');
      if (again) again.append(h('p', { class: 'good' }, 'Changed.'));
    } catch (error) {
      fill(said, problem(error));
    }
  };
  const canChange = setting.change === 'at_once';
  return h('li', { class: 'setting' },
    h('div', { class: 'what' },
      h(canChange ? 'label' : 'span', canChange ? { for: id, class: 'mono' } : { class: 'mono' }, setting.path),
      h('p', { class: 'muted' }, ...about(setting.about)),
      h('p', { class: 'from' }, h('span', { class: `tag ${setting.origin.from === 'default' ? '' : 'set'}` }, origin(setting.origin)),
        canChange ? null : h('span', { class: 'muted' }, `A new value counts ${WHEN[setting.change]}.`))),
    h('div', { class: 'value' },
      canChange ? control(setting, id, apply) : fixed(setting),
      canChange && setting.origin.from !== 'default'
        && h('button', { type: 'button', class: 'quiet', 'aria-label': `Back to ${shown(setting.default)}, the default of ${setting.path}`, onclick: () => apply(null) }, `Back to ${shown(setting.default)}`),
      said));
}

function control(setting, id, apply) {
  if (setting.kind === 'flag') {
    return h('input', { id, type: 'checkbox', role: 'switch', class: 'switch', checked: setting.value === true, onchange: (event) => apply(event.target.checked) });
  }
  if (setting.kind === 'choice') {
    return h('select', { id, onchange: (event) => apply(event.target.value) },
      ...setting.choices.map((value) => h('option', { value, selected: value === setting.value }, value)));
  }
  const isSecret = setting.path.endsWith('api_key');
  const input = h('input', { id, type: isSecret ? 'password' : 'text', value: Array.isArray(setting.value) ? setting.value.join(', ') : setting.value ?? '', autocomplete: 'off', spellcheck: 'false' });
  const read = () => {
    const written = input.value.trim();
    if (setting.kind === 'list') return written === '' ? [] : written.split(',').map((each) => each.trim()).filter(Boolean);
    if (written === '') return null;
    return /^-?\d+(\.\d+)?$/.test(written) ? Number(written) : written;
  };
  return h('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); apply(read()); } },
    input, h('button', { type: 'submit', 'aria-label': `Apply ${setting.path}` }, 'Apply'));
}

// A description, with what stands between backticks as code.
const about = (text) => text.split('`').map((part, index) => (index % 2 ? h('code', {}, part) : part));

// What is large can be scrolled, also by keyboard.
function fixed(setting) {
  const text = shown(setting.value);
  return text.includes('\n')
    ? h('pre', { tabindex: '0', role: 'region', 'aria-label': setting.path }, text)
    : h('code', { class: 'mono' }, text);
}

function origin(from) {
  switch (from.from) {
    case 'file': return from.line ? `${from.name}, line ${from.line}` : from.name;
    case 'variable': return `variable ${from.name}`;
    case 'flag': return `flag ${from.name}`;
    case 'change': return 'changed while running';
    case 'program': return 'set by the command that started it';
    default: return 'default';
  }
}

function shown(value) {
  if (value == null || value === '') return 'not set';
  if (Array.isArray(value)) return value.length > 0 ? value.map(shown).join(', ') : 'none';
  if (typeof value === 'object') return Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : 'none';
  return String(value);
}
