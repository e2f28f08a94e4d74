// Where the page is: its name, what stands behind it, and which part of the past it is about.

// `#/sessions/ID?range=7d&tool=Bash` as { name, rest, query }.
export function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, ...rest] = path.split('/');
  return { name, rest: rest.map(decoded), query: new URLSearchParams(query) };
}

// A typed address may not be a valid encoding.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// The address of a page, with what is chosen; what is empty is left out.
export function address(path, chosen = {}) {
  const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
  return `#/${path}${query.size > 0 ? `?${query}` : ''}`;
}

// What is chosen on every page about the past.
export const CHOICES = ['range', 'text', 'tool', 'model', 'client', 'project'];

export const chosen = (query = place().query) => Object.fromEntries(CHOICES.map((name) => [name, query.get(name) ?? '']));

// The same page with something else chosen.
export function choose(change) {
  const { name, rest, query } = place();
  const path = [name, ...rest].map(encodeURIComponent).join('/');
  location.hash = address(path, { ...Object.fromEntries(query), ...change });
}
