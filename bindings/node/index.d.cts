/**
 * Makes LLM tool outputs and conversations smaller in your own process, losing nothing. The bytes are those that the
 * Tokenforge gateway would forward under the same settings. No port is opened and nothing is sent.
 */

/** The API in whose shape a request is. */
export type Provider =
  | "anthropic"
  | "openai_chat"
  | "openai_responses"
  | "gemini"
  | "bedrock_converse"
  | "bedrock_invoke"
  | "ollama";

/** A store of your own: bounding it, in bytes and in time, is up to you. One that fails or takes 10 s leaves nothing out. */
export interface Store {
  get(name: string): Uint8Array | null | undefined | Promise<Uint8Array | null | undefined>;
  put(name: string, data: Uint8Array): unknown;
}

export interface CompressorOptions {
  /** Those of `tokenforge.yaml`, as an object. */
  settings?: Readonly<Record<string, unknown>>;
  /** Keeps the originals of what is left out: `memory:` (the default), `disk:FOLDER`, `redis://HOST:PORT`, or your own. */
  store?: string | Store;
}

export interface BodyOptions {
  /** `openai_chat` if nothing is said. */
  provider?: Provider;
  /** You resolve references yourself, so that something may be left out although the model has no tool for it. */
  callerFetches?: boolean;
  /** The model where the path names it and not the body, as for Gemini and Bedrock. `compress` takes it from `model` and `modelId`. */
  pathModel?: string;
}

/** The other members of the request, such as `model`, `tools` and `system`, are given by name. */
export interface CompressOptions extends BodyOptions {
  [member: string]: unknown;
}

/** The call that made an output: without it less is recognised. */
export interface Call {
  tool?: string;
  /** As an object or as JSON. */
  arguments?: string | Readonly<Record<string, unknown>>;
  isError?: boolean;
  /** The model that will read the output. */
  model?: string;
}

/** Only these lines (`20-80`), those that match a regular expression, or a part of JSON (`items[3].id`). */
export interface Part {
  lines?: string | undefined;
  grep?: string | undefined;
  path?: string | undefined;
}

interface Figures {
  /** `compressed`, or why it was kept as it is. */
  readonly verdict: string;
  readonly stages: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the original is kept under, if something was left out. */
  readonly reference: string | undefined;
}

/** What became of one tool result. */
export interface Verdict extends Figures {
  readonly tool: string;
  readonly call: string | undefined;
}

/** A request as it is to be sent instead. */
export interface Compressed {
  readonly body: Buffer;
  readonly results: readonly Verdict[];
  /** The tool `expand_context` was added: answer its calls with `expand`. */
  readonly offersExpansion: boolean;
  /** The body, parsed. */
  readonly request: any;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** An output as it is to be shown to the model. */
export interface CompressedText extends Figures {
  readonly text: string;
}

/**
 * Compresses requests to model providers, and single outputs. Keep one: with the same store and settings the same conversation
 * becomes the same bytes, after a restart too, so that the provider's prompt cache stays warm.
 *
 * What returns a promise works on other threads. With a store of your own there is only that.
 */
export class Compressor {
  constructor(options?: CompressorOptions);

  /** What to send instead of a conversation in a provider's own shape. Something is left out only if `tools` are given. */
  compress(messages: readonly unknown[], options?: CompressOptions): Promise<Compressed>;
  compressSync(messages: readonly unknown[], options?: CompressOptions): Compressed;

  /** The same for the body of a request as it would be sent: outside of tool results every byte stays. */
  compressBody(body: string | Uint8Array, options?: BodyOptions): Promise<Compressed>;
  compressBodySync(body: string | Uint8Array, options?: BodyOptions): Compressed;

  /** What to show a model instead of one tool output. What is left out you fetch with `expand`. */
  compressOutput(text: string, call?: Call): Promise<CompressedText>;
  compressOutputSync(text: string, call?: Call): CompressedText;

  /** An original, or a part of it. */
  expand(reference: string, part?: Part): Promise<string>;
  expandSync(reference: string, part?: Part): string;
}

/** Any of our notations back to what it stands for: JSON minified, a compressed output as it was, to the byte. */
export function decode(text: string): string;

/** A result that the model saw before. */
export interface EarlierResult {
  tool: string;
  /** What it was called with: an object, or a text for tools that take one. */
  arguments?: unknown;
  /** The result as the model saw it. */
  text: string;
}

/** What the pointers of an output may lead to. */
export interface OutputContext {
  /** The results before it in its conversation, in their order. */
  history?: Iterable<EarlierResult>;
  /** Those of the call that made it, as an object or as JSON. */
  arguments?: string | Readonly<Record<string, unknown>>;
}

/**
 * The tool output that a lossless mode compressed to `text`; a text that nothing changed is given back as it is.
 *
 * ```ts
 * decodeOutput("a\n[Forge the line above 2 more times]\nb\n"); // "a\na\na\nb\n"
 * ```
 *
 * A `TokenforgeError` says that something was left out of the text, that it points to what is not given, that it was cut or
 * edited, or that it stands for more than 64 MiB.
 */
export function decodeOutput(text: string, context?: OutputContext): string;

/** How many tokens a text has for a model; by o200k where the model's vocabulary is not public. */
export function count(text: string, model?: string): number;

/** The tool with which a model fetches what was left out. */
export const EXPAND_TOOL: {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
};

/** What was wrong, where, and what would be right. */
export class TokenforgeError extends Error {}

/** There is no such original, or no such part of it; the message is for a model. */
export class OriginalNotFound extends Error {}
