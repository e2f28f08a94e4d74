// Tools that ask their caller something before they answer.
//
// They are written once for both eras: a result that says which input is missing is sent as it is in the newer one, and
// becomes requests to the client in the older one.

import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { said, text } from './contents.js';

export function addQuestions(add, states) {
  // Asks until every question has an answer, then answers with what `finish` makes of them.
  const asking = (questions, finish, { keep } = {}) => async (values, { mcpReq }) => {
    const inputRequests = questions(values, mcpReq);
    const answers = mcpReq.inputResponses ?? {};
    if (Object.keys(inputRequests).every((key) => isAnswer(inputRequests[key], answers[key]))) {
      return said(text(finish(answers, mcpReq)));
    }
    return inputRequired({ inputRequests, ...(keep && { requestState: await states.mint({ kept: true }) }) });
  };

  const outcome = (key) => (answers) => {
    const { action, content } = answers[key];
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
  };

  add('test_sampling', asking(({ prompt }) => ({ reply: sample(prompt, 100) }), (answers) => `LLM response: ${answers.reply.content.text}`),
    z.object({ prompt: z.string() }));
  add('test_elicitation', asking(({ message }) => ({ user: elicit(message, USER) }),
    ({ user }) => `User response: action=${user.action}, content=${JSON.stringify(user.content ?? {})}`),
  z.object({ message: z.string() }));
  add('test_elicitation_sep1034_defaults', asking(() => ({ form: elicit('Please fill in', DEFAULTS, []) }), outcome('form')));
  add('test_elicitation_sep1330_enums', asking(() => ({ form: elicit('Please choose', CHOICES, []) }), outcome('form')));
  add('test_streaming_elicitation', asking(() => ({ user: elicit('Who are you?', USER) }), outcome('user')));

  const name = { user_name: elicit('What is your name?', { name: { type: 'string' } }) };
  const roots = { client_roots: inputRequired.listRoots() };
  const confirm = { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) };
  const capital = { capital_question: sample('What is the capital of France?', 100) };
  const greet = ({ user_name }) => `Hello, ${user_name.content?.name}!`;
  const checked = (_, mcpReq) => (mcpReq.requestState()?.kept ? 'state-ok' : 'no state came back');

  // What a client cannot answer the SDK does not ask, but refuses.
  add('test_missing_capability', asking(() => capital, ({ capital_question }) => capital_question.content.text));
  add('test_input_required_result_elicitation', asking(() => name, greet));
  add('test_input_required_result_sampling', asking(() => capital, ({ capital_question }) => capital_question.content.text));
  add('test_input_required_result_list_roots', asking(() => roots, ({ client_roots }) => JSON.stringify(client_roots.roots)));
  add('test_input_required_result_request_state', asking(() => confirm, checked, { keep: true }));
  add('test_input_required_result_tampered_state', asking(() => confirm, checked, { keep: true }));
  add('test_input_required_result_multiple_inputs',
    asking(() => ({ ...name, greeting: sample('Generate a greeting', 50), ...roots }), greet, { keep: true }));
  add('test_input_required_result_capabilities', asking((_, mcpReq) => {
    const can = mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
    return { ...(can.sampling && capital), ...(can.elicitation && name), ...(can.roots && roots) };
  }, () => 'asked what could be asked'));

  add('test_input_required_result_multi_round', async (_, { mcpReq }) => {
    const state = mcpReq.requestState() ?? {};
    const known = state.name ?? acceptedContent(mcpReq.inputResponses, 'step1')?.name;
    const color = acceptedContent(mcpReq.inputResponses, 'step2')?.color;
    if (known && color) return said(text(`${known} likes ${color}`));
    const inputRequests = known
      ? { step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }) }
      : { step1: elicit('Step 1: What is your name?', { name: { type: 'string' } }) };
    return inputRequired({ inputRequests, requestState: await states.mint({ name: known }) });
  });
}

function isAnswer(request, answer) {
  if (request.method === 'elicitation/create') return typeof answer?.action === 'string';
  if (request.method === 'roots/list') return Array.isArray(answer?.roots);
  return answer?.content !== undefined;
}

function elicit(message, properties, required = Object.keys(properties)) {
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
}

function sample(prompt, maxTokens) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens });
}

const USER = {
  username: { type: 'string', description: 'What the user calls itself' },
  email: { type: 'string', description: 'Where it can be reached' },
};

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const OPTIONS = ['option1', 'option2', 'option3'];
const titled = (noun) => ['First', 'Second', 'Third'].map((nth, at) => ({ const: `value${at + 1}`, title: `${nth} ${noun}` }));

const CHOICES = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};
