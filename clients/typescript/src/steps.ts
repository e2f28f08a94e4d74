/**
 * Nesting without recursion, so that the caller's stack never matters.
 *
 * A container is a generator that works through its content and yields a generator for each container inside it.
 *
 * @module
 */

export type Steps = Generator<Steps, void, void>;

/** Takes the steps to their end, each container inside before the next step of the one around it. */
export function run(steps: Steps | undefined): void {
  const pending = steps ? [steps] : [];
  for (let last = pending.at(-1); last; last = pending.at(-1)) {
    const next = last.next();
    if (next.done) pending.pop();
    else pending.push(next.value);
  }
}
