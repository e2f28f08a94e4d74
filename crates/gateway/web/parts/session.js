// The browser's session: a link signs it in once, then a cookie and a proof show who it is.

import { FORGE } from './place.js';

const PROOF = 'forge.session';

// Cookies go to every port of a host; what is stored here stays with this origin.
export const proof = () => localStorage.getItem(PROOF);

export const HOW = 'Sign in to see or do this: run “tokenforge dashboard” in a terminal, and open the link that it prints.';

// Signs in with the code of a link, if the page was opened by one. The code leaves the address at once.
export async function signIn() {
  const code = location.hash.match(/^#\/sign-in\/(\w+)$/)?.[1];
  if (!code) return null;
  history.replaceState(null, '', '#/overview');
  const response = await fetch(new URL('api/session', FORGE), { method: 'POST', cache: 'no-store', body: JSON.stringify({ code }) }).catch(() => null);
  if (!response?.ok) return new Error('This link was opened before, or is older than 5 minutes. Run “tokenforge dashboard” for another.');
  localStorage.setItem(PROOF, (await response.json()).proof);
  return null;
}
