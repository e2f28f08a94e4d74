// The prompts that the conformance suite asks for.

import { acceptedContent, completable, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { embedded, image, text } from './contents.js';

export function addPrompts(server) {
  const add = (name, argsSchema, contents) =>
    server.registerPrompt(name, { description: name, argsSchema }, async (values) => ({
      messages: contents(values).map((content) => ({ role: 'user', content })),
    }));

  add('test_simple_prompt', undefined, () => [text('This is a simple prompt for testing.')]);
  add('test_prompt_with_image', undefined, () => [image, text('Please analyze the image above.')]);

  const cities = ['paris', 'park', 'party'];
  const arg1 = completable(z.string(), (begun) => cities.filter((city) => city.startsWith(begun)));
  add('test_prompt_with_arguments', z.object({ arg1, arg2: z.string() }), ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ]);
  add('test_prompt_with_embedded_resource', z.object({ resourceUri: z.string() }), ({ resourceUri }) => [
    embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ]);

  const description = 'Asks its reader something first';
  server.registerPrompt('test_input_required_result_prompt', { description }, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, 'user_context');
    if (answer) return { messages: [{ role: 'user', content: text(`Context: ${answer.context}`) }] };
    const requestedSchema = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] };
    const question = inputRequired.elicit({ message: 'What context should the prompt use?', requestedSchema });
    return inputRequired({ inputRequests: { user_context: question } });
  });
}
