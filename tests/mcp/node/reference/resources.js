// The resources that the conformance suite reads.

import { ResourceTemplate } from '@modelcontextprotocol/server';
import { PNG } from './contents.js';

export function addResources(server) {
  const add = (name, uri, mimeType, contents) =>
    server.registerResource(name, uri, { description: name, mimeType }, async () => ({ contents: [{ uri, mimeType, ...contents }] }));

  add('Static text', 'test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  add('Static binary', 'test://static-binary', 'image/png', { blob: PNG });
  add('Watched', 'test://watched-resource', 'text/plain', { text: 'watched' });

  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const mimeType = 'application/json';
  server.registerResource('Template', template, { description: 'Data by id', mimeType }, async (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType, text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
  }));

  // What is subscribed to never changes, so there is nothing to keep.
  server.server.setRequestHandler('resources/subscribe', async () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}));
}
