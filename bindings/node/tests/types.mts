// Types: what is allowed, and what is not.
import { Compressor, count, decode, decodeOutput, type Compressed, type Store, type Verdict } from "@tokenforge/engine";

const store: Store = { get: async () => undefined, put: async () => {} };
const compressor = new Compressor({ store });

export async function all(): Promise<readonly Verdict[]> {
  const made: Compressed = await compressor.compress([], { provider: "gemini", callerFetches: true, tools: [] });
  const text: string = await compressor.expand("shadow_x", { lines: "1-2" });
  const tokens: number = count(decode(text), "gpt-5");
  return tokens > 0 ? made.results : [];
}

export function wrong(): void {
  // @ts-expect-error: an unknown provider
  compressor.compressSync([], { provider: "nobody" });
  // @ts-expect-error: a store has both
  new Compressor({ store: { get: () => undefined } });
  decodeOutput("text", { history: [{ tool: "Bash", text: "shown" }], arguments: "{}" });
  // @ts-expect-error: a result has a text
  decodeOutput("text", { history: [{ tool: "Bash" }] });
  // @ts-expect-error: a text
  compressor.compressOutputSync(5);
}
