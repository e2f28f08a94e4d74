// Any output tried out: in every form, in every mode, stage by stage.

import { post } from '../parts/api.js';
import { diff } from '../parts/diff.js';
import { choice, empty, fill, h, problem } from '../parts/element.js';
import { bytes, count, percent, words } from '../parts/figures.js';
import { stages, text } from '../parts/texts.js';

export const title = 'Playground';
export const lead = 'Paste or drop any tool output and see what it costs in every form and mode. Nothing of it is kept.';

const FORMS = { pretty: 'JSON, pretty', json: 'JSON, minified', toon: 'TOON', stc: 'STC', stc2: 'STC 2', table: 'Table' };
const PAUSE = 300;

const EXAMPLES = {
  'A list as JSON': () => ({
    tool: 'search', command: '',
    text: JSON.stringify(Array.from({ length: 12 }, (_, n) => ({
      id: 4100 + n, title: `Connection reset while streaming, case ${n + 1}`, state: n % 3 ? 'open' : 'closed',
      author: ['mira', 'jonas', 'lee'][n % 3], comments: (n * 7) % 11,
    })), null, 2),
  }),
  'A test run': () => ({
    tool: 'Bash', command: 'cargo test',
    text: ['     Running unittests src/lib.rs', '', 'running 61 tests',
      ...Array.from({ length: 60 }, (_, n) => `test store::case_${n + 1} ... ok`),
      'test store::expires ... FAILED', '', 'failures:', '', '---- store::expires stdout ----',
      "thread 'store::expires' panicked at src/store.rs:41:9:", 'assertion failed: entry.is_none()', '', '',
      'failures:', '    store::expires', '', 'test result: FAILED. 60 passed; 1 failed; 0 ignored', ''].join('\n'),
  }),
  'A log': () => ({
    tool: 'Bash', command: 'tail -n 40 app.log',
    text: Array.from({ length: 40 }, (_, n) =>
      `2026-03-01T10:${String(n).padStart(2, '0')}:07Z INFO  worker-${n % 4} request id=${7000 + n} path=/api/items status=200 took ${12 + ((n * 5) % 9)}ms`).join('\n'),
  }),
};

export async function show(page, { signal }) {
  const output = h('textarea', { id: 'output', rows: '10', spellcheck: 'false', placeholder: 'Paste an output here, or drop a file on it' });
  const tool = h('input', { id: 'tool', type: 'text', placeholder: 'Bash', autocomplete: 'off' });
  const line = h('input', { id: 'command', type: 'text', placeholder: 'cargo test', autocomplete: 'off' });
  const result = h('div', { class: 'stack', 'aria-live': 'polite' });
  const view = { form: localStorage.getItem('forge.form') ?? 'toon', mode: 'standard', step: null };

  const use = (example) => {
    [output.value, tool.value, line.value] = [example.text, example.tool, example.command];
    tryOut();
  };
  fill(page,
    h('section', { class: 'panel stack' },
      h('div', { class: 'row' }, h('span', { class: 'muted' }, 'Try:'),
        ...Object.entries(EXAMPLES).map(([name, example]) => h('button', { type: 'button', onclick: () => use(example()) }, name))),
      h('div', { class: 'field' }, h('label', { for: 'output' }, 'Output'), output),
      h('div', { class: 'fields two' },
        h('div', { class: 'field' }, h('label', { for: 'tool' }, 'Tool'), tool, h('small', {}, 'Its name decides what may be done to the output.')),
        h('div', { class: 'field' }, h('label', { for: 'command' }, 'Command'), line, h('small', {}, 'What a shell ran: it tells which family of tools this is.')))),
    result);
  fill(result, empty('Nothing to show yet.', h('p', {}, 'Paste something above, or take one of the examples.')));

  let running = null;
  const tryOut = async () => {
    running?.abort();
    running = new AbortController();
    if (output.value === '') return;
    try {
      const document = { text: output.value, tool: tool.value, arguments: line.value ? { command: line.value } : {} };
      const tried = await post('playground', document, { signal: running.signal });
      if (!signal.aborted) draw(result, tried, output.value, view);
    } catch (error) {
      if (error.name !== 'AbortError') fill(result, problem(error));
    }
  };
  let typing = null;
  const later = () => {
    clearTimeout(typing);
    typing = setTimeout(tryOut, PAUSE);
  };
  for (const field of [output, tool, line]) field.addEventListener('input', later);
  signal.addEventListener('abort', () => {
    clearTimeout(typing);
    running?.abort();
  });
  dropping(output, later);
}

function dropping(output, then) {
  output.addEventListener('dragover', (event) => {
    event.preventDefault();
    output.classList.add('over');
  });
  output.addEventListener('dragleave', () => output.classList.remove('over'));
  output.addEventListener('drop', async (event) => {
    output.classList.remove('over');
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    output.value = await file.text();
    then();
  });
}

function draw(result, tried, original, view) {
  fill(result, modes(tried, original, view), tried.forms.length > 0 ? forms(tried, view)
    : h('section', { class: 'panel' }, h('h2', {}, 'Forms'), h('p', { class: 'muted' }, 'This output is not JSON, so it has no other form.')));
}

// The forms of JSON beside each other, and one of them in full.
function forms(tried, view) {
  const known = tried.forms.filter((form) => form.text != null);
  const fewest = Math.min(...known.map((form) => form.tokens));
  if (!known.some((form) => form.form === view.form)) view.form = 'json';
  const shown = h('div');
  const draw = () => {
    const form = known.find((each) => each.form === view.form);
    fill(shown, text(form.text, FORMS[form.form]));
  };
  draw();
  const base = tried.forms[0].tokens ?? tried.tokens;
  return h('section', { class: 'panel stack' }, h('h2', {}, 'Forms'),
    h('table', {}, h('caption', { class: 'hidden' }, 'Tokens in every form'),
      h('thead', {}, h('tr', {}, ...[['form'], ['tokens', 'n'], ['bytes', 'n wide'], ['against pretty JSON', 'n']].map(([name, style]) => h('th', { scope: 'col', class: style }, name)))),
      h('tbody', {}, ...tried.forms.map((form) => h('tr', {},
        h('th', { scope: 'row' }, FORMS[form.form], form.tokens === fewest && form.text != null ? h('span', { class: 'tag good' }, 'fewest') : null),
        ...(form.text == null ? [h('td', { class: 'muted', colspan: '3' }, `cannot hold it: ${form.refused}`)] : [
          h('td', { class: 'n' }, count(form.tokens)), h('td', { class: 'n wide' }, count(form.bytes)),
          h('td', { class: 'n' }, form.form === 'pretty' ? '' : `−${percent(base - form.tokens, base)}`)]))))),
    choice('Form', known.map((form) => [form.form, FORMS[form.form]]), view.form, (form) => {
      view.form = form;
      localStorage.setItem('forge.form', form);
      draw();
    }), shown);
}

// What each mode makes of it, and one of them in full, stage by stage.
function modes(tried, original, view) {
  const shown = h('div', { class: 'stack' });
  const draw = () => {
    const mode = tried.modes.find((each) => each.mode === view.mode);
    const texts = h('div');
    const beside = () => fill(texts, diff(original, mode.text, ['As it came', `In the mode ${mode.mode}`]));
    beside();
    fill(shown,
      mode.redacted.length > 0 && h('p', { class: 'notice' }, `Secrets removed: ${mode.redacted.map(words).join(', ')}.`),
      mode.leaves_out && h('p', { class: 'muted' }, 'Something is left out. The text begins with a reference, by which a model can fetch all of it.'),
      h('h3', {}, 'Stages'),
      mode.verdict === 'compressed' ? stages(mode.steps, (step) => {
        fill(texts, h('div', { class: 'row between' }, h('h3', {}, `After ${words(step.stage)}`), h('button', { type: 'button', class: 'quiet', onclick: beside }, 'Back to the whole')),
          text(step.text, `After ${words(step.stage)}`));
      }) : h('p', { class: 'muted' }, `It goes on as it came: ${words(mode.verdict)}.`),
      texts);
  };
  draw();
  return h('section', { class: 'panel stack' },
    h('h2', {}, 'Modes'),
    h('p', { class: 'muted' }, `${count(tried.tokens)} tokens, ${bytes(tried.bytes)} as it came. This gateway’s mode is ${tried.mode}.`),
    h('table', {}, h('caption', { class: 'hidden' }, 'Tokens in every mode'),
      h('thead', {}, h('tr', {}, ...[['mode'], ['tokens', 'n'], ['saved', 'n'], ['stages', 'wide']].map(([name, style]) => h('th', { scope: 'col', class: style }, name)))),
      h('tbody', {}, ...tried.modes.map((mode) => h('tr', {},
        h('th', { scope: 'row' }, mode.mode), h('td', { class: 'n' }, count(mode.tokens)),
        h('td', { class: `n ${mode.tokens < tried.tokens ? 'good' : ''}` }, percent(tried.tokens - mode.tokens, tried.tokens)),
        h('td', { class: 'wide tags' }, ...applied(mode).map((stage) => h('span', { class: 'tag' }, words(stage)))))))),
    choice('Mode', tried.modes.map((mode) => [mode.mode, mode.mode]), view.mode, (mode) => {
      view.mode = mode;
      draw();
    }), shown);
}

const applied = (mode) => [...new Set(mode.steps.filter((step) => step.is_applied).map((step) => step.stage))];
