// The validating provider behind the gateway: what it shall say, and what it was sent.

import { readFileSync } from 'node:fs';

export const STORIES = JSON.parse(readFileSync(new URL('../stories.json', import.meta.url)));

// Forgets what was, and queues the replies of a story.
export async function begin(story) {
  await call('DELETE', 'requests');
  await call('DELETE', 'replies');
  await call('POST', 'replies', JSON.stringify(STORIES[story].replies));
}

export function requests() {
  return call('GET', 'requests');
}

async function call(method, path, body) {
  const response = await fetch(`${process.env.MOCK_URL}/_mock/${path}`, { method, body });
  return response.json();
}
