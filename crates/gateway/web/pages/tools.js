// Tool servers and their tools: call one, and see its answer in every form.

import { api, post } from '../parts/api.js';
import { choice, empty, fill, h, problem } from '../parts/element.js';
import { bytes, count, percent } from '../parts/figures.js';
import { call } from '../parts/mcp.js';
import { form } from '../parts/schema.js';
import { command, text } from '../parts/texts.js';

export const title = 'Tools';
export const lead = 'Tool servers behind this gateway. Call a tool in the form that you prefer; servers always answer in JSON.';

const FORMATS = [['auto', 'Auto'], ['json', 'JSON'], ['toon', 'TOON'], ['stc', 'STC']];
const FORMS = { pretty: 'JSON', toon: 'TOON', stc: 'STC' };
const CARDS = 20;

export async function show(page, { signal }) {
  const wanted = { format: localStorage.getItem('forge.format') ?? 'auto' };
  const cards = h('div', { class: 'stack', id: 'calls' });
  const servers = h('div', { class: 'stack' });
  const toggle = choice('Preferred format', FORMATS, wanted.format, (format) => {
    wanted.format = format;
    localStorage.setItem('forge.format', format);
  });
  fill(page,
    h('section', { class: 'panel row between' },
      h('div', {}, h('h2', {}, 'Preferred format'), h('p', { class: 'muted' }, 'Sent with every call as X-Prefer-Format. This browser remembers it.')), toggle),
    servers,
    h('section', { 'aria-label': 'Calls', 'aria-live': 'polite' }, cards));
  const { backends } = await api('mcp', { signal });
  if (backends.length === 0) return fill(servers, none());
  const add = (made) => {
    cards.prepend(made);
    while (cards.children.length > CARDS) cards.lastChild.remove();
    if (cards.previousElementSibling?.tagName !== 'H2') cards.before(h('h2', { class: 'apart' }, 'Calls'));
    made.querySelector('summary').focus({ preventScroll: true });
    made.scrollIntoView({ block: 'nearest' });
  };
  fill(servers, ...backends.map((backend) => server(backend, wanted, add, signal)));
}

function none() {
  return h('section', { class: 'panel' }, empty('There is no tool server yet.',
    h('p', {}, 'Add one while the gateway runs; it is there at once:'),
    command('tokenforge mcp add files -- npx -y @modelcontextprotocol/server-filesystem /tmp'),
    h('p', {}, 'Or name it under mcp.backends in tokenforge.yaml.')));
}

function server(backend, wanted, add, signal) {
  const list = h('div', { class: 'tools' }, h('p', { class: 'muted' }, 'Asking for its tools …'));
  const load = async () => {
    if (!backend.enabled) return fill(list, h('p', { class: 'muted' }, 'This server is disabled, and clients do not see its tools.'));
    try {
      const { tools } = await api(`mcp/${encodeURIComponent(backend.prefix)}/tools`, { signal });
      fill(list, tools.length > 0 ? tools.map((tool) => described(backend, tool, wanted, add)) : h('p', { class: 'muted' }, 'It has no tools.'));
    } catch (error) {
      if (error.name !== 'AbortError') fill(list, problem(error), h('button', { type: 'button', onclick: load }, 'Try again'));
    }
  };
  load();
  const where = backend.url ?? [backend.command, ...(backend.args ?? [])].join(' ');
  return h('section', { class: 'panel stack' },
    h('div', {}, h('h2', {}, backend.prefix, backend.enabled ? null : h('span', { class: 'tag' }, 'disabled')), h('p', { class: 'muted mono' }, where)), list);
}

function described(backend, tool, wanted, add) {
  const id = `${backend.prefix}-${tool.name}`.replace(/[^\w-]/g, '_');
  const fields = form(tool.inputSchema, id);
  const said = h('div');
  const button = h('button', { type: 'submit', class: 'primary' }, `Call ${tool.name}`);
  const calling = h('form', {
    class: 'stack', onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      fill(said);
      try {
        add(await card(await call(backend.prefix, tool.name, fields.read(), wanted.format)));
      } catch (error) {
        fill(said, problem(error));
      } finally {
        button.disabled = false;
      }
    },
  }, fields.element, said, h('div', {}, button));
  const calls = tool.figures?.calls;
  const hasMore = tool.description && (tool.title || tool.description.includes('\n'));
  return h('details', { class: 'tool' },
    h('summary', {}, h('span', { class: 'name' }, tool.name),
      h('span', { class: 'muted' }, ` ${tool.title ?? tool.description?.split('\n')[0] ?? ''}`),
      calls ? h('span', { class: 'tag' }, `${count(calls)} ${calls === 1 ? 'call' : 'calls'}`) : null),
    h('div', { class: 'stack inner' }, hasMore && h('p', {}, tool.description), calling));
}

// A call and its answer: the form that was asked for, the form that came, and the same in every form.
async function card(made) {
  const texts = (made.result.content ?? []).filter((block) => block.type === 'text').map((block) => block.text);
  const others = (made.result.content ?? []).filter((block) => block.type !== 'text');
  const parts = await Promise.all(texts.map((each) => answer(each, made.got)));
  const saved = made.note && made.note.tokens_before > 0;
  return h('details', { class: 'panel call', open: true, 'data-tool': made.tool },
    h('summary', {}, h('span', { class: 'name' }, `${made.server} · ${made.tool}`),
      made.result.isError ? h('span', { class: 'tag bad' }, 'failed') : null,
      h('span', { class: 'tag format', 'data-header': 'x-content-format' }, made.got ?? 'unchanged'),
      saved && h('span', { class: 'tag good' }, `${percent(made.note.tokens_before - made.note.tokens_after, made.note.tokens_before)} saved`)),
    h('dl', { class: 'facts' },
      ...[
        ['X-Prefer-Format', made.asked], ['X-Content-Format', made.got ?? 'not said'],
        ['Tokens', made.note ? `${count(made.note.tokens_before)} → ${count(made.note.tokens_after)}` : 'as they came'],
        ['Took', `${Math.round(made.milliseconds)} ms`],
        ['Arguments', JSON.stringify(made.args)],
      ].map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    ...parts,
    others.length > 0 && h('p', { class: 'muted' }, `And ${others.map((block) => block.type).join(', ')}.`));
}

// JSON is shown in lines, TOON and STC as they are; other forms come from the gateway, without a second call.
async function answer(received, got) {
  const form = got === 'toon' || got === 'stc' || got === 'table' ? got : undefined;
  const tried = await post('playground', { text: received, form }).catch(() => null);
  const known = (tried?.forms ?? []).filter((each) => each.form in FORMS && each.text != null);
  if (known.length === 0) return text(received, 'Answer');
  const shown = h('div');
  const draw = (name) => {
    const chosen = known.find((each) => each.form === name);
    // What came is shown as it came; JSON is laid out.
    const content = name === got ? received : chosen.text;
    fill(shown, h('p', { class: 'muted' }, `${count(chosen.tokens)} tokens, ${bytes(chosen.bytes)}`), text(content, `Answer as ${FORMS[name]}`));
  };
  const first = known.some((each) => each.form === got) ? got : 'pretty';
  draw(first);
  return h('div', { class: 'stack' }, choice('Show as', known.map((each) => [each.form, FORMS[each.form]]), first, draw), shown);
}
