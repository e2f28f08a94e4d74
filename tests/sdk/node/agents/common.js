// What the agents of all SDKs share: the question, the tool, and the reading of streams.
//
// An agent is `talk(gateway, run, streams)`: it asks, runs the tools that the model calls, and asks again until there are
// none. It yields the model's turns: the text, the names of the tools called, and all objects in which the SDK told of it.

export const QUESTION = 'Do the tests pass?';
export const NAME = 'Bash';
export const DESCRIPTION = 'Runs a command';
export const PARAMETERS = {
  type: 'object',
  properties: { command: { type: 'string' } },
  required: ['command'],
  additionalProperties: false,
};

export async function collect(events) {
  const seen = [];
  for await (const event of events) seen.push(event);
  return seen;
}
