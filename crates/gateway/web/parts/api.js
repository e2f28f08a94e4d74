// The gateway's own endpoints.

import { FORGE, GATEWAY } from './place.js';
import { HOW, proof } from './session.js';
import { ask, shown } from './token.js';

export { FORGE, GATEWAY };

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// A document of the gateway; `null` if there is none and `optional` says that there need not be.
export async function api(path, { optional = false, ...options } = {}) {
  const response = await asked(new URL(`api/${path}`, FORGE), options);
  if (optional && response.status === 404) return null;
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return response.json();
}

export const post = (path, document, options) =>
  api(path, { method: 'POST', body: JSON.stringify(document), ...options });

// Asks with the session or the token, and asks the person for the token where nothing is shown without.
export async function asked(url, options = {}, kind = 'token') {
  for (;;) {
    const known = shown(kind);
    const response = await fetched(url, { ...options, headers: { ...options.headers, ...credential(kind, known) } });
    if (response.status !== 401 || await wantsSignIn(response)) return response;
    // Another request may have asked for it meanwhile.
    if (shown(kind) === known) await ask(kind, known != null);
  }
}

function credential(kind, value) {
  const shown = value && (kind === 'key' ? { 'x-forge-key': value } : { authorization: `Bearer ${value}` });
  return { ...shown, ...(proof() && { 'x-forge-proof': proof() }) };
}

// Is only this one thing for who signed in, and the rest is shown?
async function wantsSignIn(response) {
  const said = await response.clone().json().catch(() => null);
  return said?.error?.param === 'sign_in';
}

async function fetched(url, options) {
  try {
    return await fetch(url, { cache: 'no-store', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0, 'The gateway does not answer. Is it still running?');
  }
}

// What went wrong, in the words of the gateway.
export async function reason(response) {
  try {
    const { error } = await response.json();
    if (error.param === 'sign_in') return HOW;
    return (error.message ?? String(error)).replace(/^tokenforge: /, '');
  } catch {
    return `The gateway answered with status ${response.status}.`;
  }
}
