// What an event says about its result.

import { called } from './figures.js';

// The program that a shell ran; what kind of tool it is goes without saying.
const program = ({ family, tool }) => (['other', 'bash', 'shell', 'mcp', tool?.toLowerCase()].includes(family) ? '' : family);

export const name = (event) => called(event.tool, program(event));

// Events of older logs have one flag for both: the content cache, and a session's memo.
export const wasSentBefore = (event) => event.sent_before ?? event.memo_reused;

// Do the filters of the page let it through?
export function fits(event, { text, tool, model, client, project }) {
  const is = (wanted, found) => !wanted || wanted === found;
  return is(tool, event.tool) && is(model, event.model) && is(client, event.client) && is(project, event.project)
    && (!text || `${event.tool} ${event.family}`.toLowerCase().includes(text.toLowerCase()));
}
