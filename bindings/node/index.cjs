// The engine of Tokenforge for Node: arguments and results; the work is done by the addon. What each does is in index.d.cts.
"use strict";

const platform = `${process.platform}-${process.arch}${hasMusl() ? "-musl" : ""}`;

let native;
try {
  native = require(`@tokenforge/engine-${platform}`);
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
  throw new Error(
    `the package @tokenforge/engine-${platform} is not installed. Either there is none for this platform, or optional ` +
      "dependencies were left out (npm install --include=optional)",
    { cause: error },
  );
}

/** Where the conversation stands in a request, by provider API. */
const CONVERSATIONS = {
  anthropic: "messages",
  openai_chat: "messages",
  openai_responses: "input",
  gemini: "contents",
  bedrock_converse: "messages",
  bedrock_invoke: "messages",
  ollama: "messages",
};

class TokenforgeError extends Error {
  name = "TokenforgeError";
}

class OriginalNotFound extends Error {
  name = "OriginalNotFound";
}

class Compressor {
  #native;
  #ownStore;

  constructor({ settings, store = "memory:" } = {}) {
    const text = settings === undefined ? "" : encode(settings, "settings");
    this.#ownStore = typeof store !== "string";
    if (this.#ownStore && (typeof store?.get !== "function" || typeof store?.put !== "function")) {
      throw new TokenforgeError("store: expected an address such as `disk:FOLDER`, or an object with get and put");
    }
    this.#native = checked(() =>
      this.#ownStore ? native.Compressor.withStore(text, asking(store)) : new native.Compressor(text, store),
    );
  }

  async compress(messages, options) {
    const { body, ...how } = request(messages, options);
    return this.compressBody(body, how);
  }

  compressSync(messages, options) {
    const { body, ...how } = request(messages, options);
    return this.compressBodySync(body, how);
  }

  async compressBody(body, options) {
    const given = bodyArguments(body, options);
    return compressed(await checkedAsync(() => this.#native.compress(...given)));
  }

  compressBodySync(body, options) {
    const given = bodyArguments(body, options);
    return compressed(checked(() => this.#synchronous().compressSync(...given)));
  }

  async compressOutput(text, call) {
    const given = outputArguments(text, call);
    return compressedText(await checkedAsync(() => this.#native.compressOutput(...given)));
  }

  compressOutputSync(text, call) {
    const given = outputArguments(text, call);
    return compressedText(checked(() => this.#synchronous().compressOutputSync(...given)));
  }

  async expand(reference, part = {}) {
    const given = [wellFormed(reference, "reference"), expandPart(part)];
    return found(await checkedAsync(() => this.#native.expand(...given)));
  }

  expandSync(reference, part = {}) {
    const given = [wellFormed(reference, "reference"), expandPart(part)];
    return found(checked(() => this.#synchronous().expandSync(...given)));
  }

  /** The addon, where it may be waited for: a store of one's own answers on the thread that would wait. */
  #synchronous() {
    if (!this.#ownStore) return this.#native;
    throw new TokenforgeError("a store of your own works with the asynchronous methods only");
  }
}

function decode(text) {
  return checked(() => native.decodeText(wellFormed(text, "text")));
}

function decodeOutput(text, { history, arguments: given = "" } = {}) {
  if (history !== undefined && typeof history?.[Symbol.iterator] !== "function") throw wrongType("history", "an iterable", history);
  const results = history === undefined ? undefined : encode([...history], "history");
  return checked(() => native.decodeOutput(wellFormed(text, "text"), results, spellArguments(given)));
}

function count(text, model = "") {
  return checked(() => native.countTokens(wellFormed(text, "text"), wellFormed(model, "model")));
}

/** The tool with which a model fetches what was left out: its name, its description and the JSON schema of its arguments. */
const EXPAND_TOOL = Object.freeze(JSON.parse(native.EXPAND_TOOL));

module.exports = { Compressor, EXPAND_TOOL, OriginalNotFound, TokenforgeError, count, decode, decodeOutput };

/** Whether this Node runs on musl, as Alpine's does: it then reports no version of glibc. */
function hasMusl() {
  const { platform, report } = process;
  if (platform !== "linux" || !report) return false;
  // Without this the report looks up the names of the hosts that the process is connected to, which can take seconds.
  const excluded = report.excludeNetwork;
  report.excludeNetwork = true;
  const { header } = report.getReport();
  report.excludeNetwork = excluded;
  return header.glibcVersionRuntime === undefined;
}

/** Asks a store of the caller's, whose functions may return promises. Never throws: a failure is an answer. */
function asking(store) {
  return async (name, data, answer) => {
    try {
      if (data) {
        await store.put(name, data);
        answer.done();
        return;
      }
      const kept = await store.get(name);
      answer.done(kept === undefined || kept === null ? undefined : Buffer.from(kept));
    } catch (error) {
      answer.failed(String(error?.message ?? error));
    }
  };
}

function request(messages, { provider = "openai_chat", callerFetches = false, ...members } = {}) {
  const conversation = Object.hasOwn(CONVERSATIONS, provider) ? CONVERSATIONS[provider] : undefined;
  if (conversation === undefined) throw unknownProvider(provider);
  let pathModel = members.modelId; // boto3 and Amazon's SDK take it beside the messages: it stays
  if (provider === "gemini") {
    pathModel = members.model;
    delete members.model; // it stands in the path
  }
  return { body: encode({ ...members, [conversation]: messages }, "messages"), provider, callerFetches, pathModel };
}

function unknownProvider(provider) {
  const expected = Object.keys(CONVERSATIONS).join(", ");
  return new TokenforgeError(`unknown provider "${provider}"; expected one of ${expected}`);
}

function bodyArguments(body, { provider = "openai_chat", callerFetches = false, pathModel = "" } = {}) {
  if (typeof body === "string") body = Buffer.from(wellFormed(body, "body"));
  if (!(body instanceof Uint8Array)) throw wrongType("body", "a string or a Uint8Array", body);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return [String(provider), bytes, Boolean(callerFetches), wellFormed(pathModel, "pathModel")];
}

function outputArguments(text, { tool = "", arguments: given = "", isError = false, model = "" } = {}) {
  const call = {
    tool: wellFormed(tool, "tool"),
    arguments: spellArguments(given),
    isError: Boolean(isError),
    model: wellFormed(model, "model"),
  };
  return [wellFormed(text, "text"), call];
}

/** Arguments of a call as JSON. Some tools take free text. */
function spellArguments(given) {
  return typeof given === "string" ? wellFormed(given, "arguments") : encode(given, "arguments");
}

function expandPart({ lines, grep, path }) {
  const part = {};
  for (const [name, value] of Object.entries({ lines, grep, path })) {
    if (value !== undefined && value !== null) part[name] = wellFormed(value, name);
  }
  return part;
}

function compressed({ body, verdicts }) {
  const { results, offers_expansion: offersExpansion } = JSON.parse(verdicts);
  return new Compressed(body, results.map(verdict), offersExpansion);
}

class Compressed {
  constructor(body, results, offersExpansion) {
    this.body = body;
    this.results = results;
    this.offersExpansion = offersExpansion;
  }

  get request() {
    return JSON.parse(this.body.toString());
  }

  get tokensBefore() {
    return this.results.reduce((sum, result) => sum + result.tokensBefore, 0);
  }

  get tokensAfter() {
    return this.results.reduce((sum, result) => sum + result.tokensAfter, 0);
  }
}

function verdict({ tool, call, verdict, stages, tokens_before: tokensBefore, tokens_after: tokensAfter, reference }) {
  return { tool, call: call ?? undefined, verdict, stages, tokensBefore, tokensAfter, reference: reference ?? undefined };
}

function compressedText(made) {
  const { text, verdict, stages, tokens_before: tokensBefore, tokens_after: tokensAfter, reference } = JSON.parse(made);
  return { text, verdict, stages, tokensBefore, tokensAfter, reference: reference ?? undefined };
}

function found({ text, missing }) {
  if (missing !== undefined && missing !== null) throw new OriginalNotFound(missing);
  return text;
}

function encode(value, name) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new TokenforgeError(`${name}: no JSON can be made of it: ${error.message}`);
  }
  if (text === undefined) throw wrongType(name, "something that JSON can say", value);
  return text;
}

/** A text without half characters: what stands in their place would be another text. */
function wellFormed(text, name) {
  if (typeof text !== "string") throw wrongType(name, "a string", text);
  if (text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text)) return text;
  const position = text.search(/\p{Surrogate}/u);
  throw new TokenforgeError(`${name}: half a character (a lone surrogate) at position ${position}`);
}

function wrongType(name, expected, value) {
  return new TokenforgeError(`${name}: expected ${expected}, found ${value === null ? "null" : typeof value}`);
}

function checked(call) {
  try {
    return call();
  } catch (error) {
    throw ours(error);
  }
}

async function checkedAsync(call) {
  try {
    return await call();
  } catch (error) {
    throw ours(error);
  }
}

function ours(error) {
  return error instanceof TokenforgeError ? error : new TokenforgeError(error.message, { cause: error });
}
