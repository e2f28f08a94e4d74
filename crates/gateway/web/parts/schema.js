// A form for the arguments of a tool, from its schema.

import { h } from './element.js';

// The fields, and `read`, which gives the arguments or says what is wrong.
export function form(schema, id) {
  const required = new Set(schema?.required ?? []);
  const fields = Object.entries(schema?.properties ?? {}).map(([name, member]) => field(name, member, required.has(name), `${id}-${name}`));
  const element = fields.length > 0
    ? h('div', { class: 'fields' }, ...fields.map((each) => each.element))
    : h('p', { class: 'muted' }, 'It takes no arguments.');
  const read = () => Object.fromEntries(fields.map((each) => [each.name, each.read()]).filter(([, value]) => value !== undefined));
  return { element, read };
}

function field(name, schema, isRequired, id) {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  const about = schema.description && h('small', { id: `${id}-about` }, schema.description);
  const attributes = { id, name, required: isRequired, 'aria-describedby': about && `${id}-about` };
  const { input, read } = control(type, schema, attributes, name);
  if (schema.default !== undefined && type !== 'boolean') input.value = typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default);
  const label = h('label', { for: id }, name, isRequired ? h('span', { class: 'muted' }, ' (required)') : null);
  return { name, read, element: h('div', { class: 'field' }, label, input, about) };
}

function control(type, schema, attributes, name) {
  if (schema.enum) {
    const input = h('select', attributes, ...[attributes.required ? [] : [h('option', { value: '' }, '')]].flat(), ...schema.enum.map((value) => h('option', { value: JSON.stringify(value) }, String(value))));
    return { input, read: () => (input.value === '' ? undefined : JSON.parse(input.value)) };
  }
  if (type === 'boolean') {
    const input = h('input', { ...attributes, required: false, type: 'checkbox', checked: schema.default === true });
    return { input, read: () => input.checked };
  }
  if (type === 'number' || type === 'integer') {
    const input = h('input', { ...attributes, type: 'number', step: type === 'integer' ? '1' : 'any', min: schema.minimum, max: schema.maximum });
    return { input, read: () => (input.value === '' ? undefined : Number(input.value)) };
  }
  if (type === 'string') {
    const input = h('input', { ...attributes, type: 'text' });
    return { input, read: () => (input.value === '' && !attributes.required ? undefined : input.value) };
  }
  const input = h('textarea', { ...attributes, rows: '3', placeholder: 'JSON' });
  return {
    input, read: () => {
      if (input.value.trim() === '') return undefined;
      try {
        return JSON.parse(input.value);
      } catch {
        throw new Error(`${name}: expected JSON, such as ["a", "b"].`);
      }
    },
  };
}
