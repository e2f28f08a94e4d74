/** `fetch` for JSON that may come as STC. */

import { decodeStc, type DecodeOptions } from "./decode.js";

const MEDIA_TYPE = "application/stc+json";
/** Only what can be undone here when it lies around STC, where `fetch` leaves it. */
const ACCEPTED = "stc, gzip, deflate";

/** How {@link stcFetch} asks and decodes. */
export interface FetchOptions extends DecodeOptions {
  /**
   * The highest version of STC that a server may send, 1 by default. 2 adds a header to the request, for which a browser asks
   * a server elsewhere beforehand. Responses are decoded whichever version it is.
   */
  version?: 1 | 2;
}

/**
 * Wraps `fetch` so that it asks for STC and decodes it.
 *
 * ```ts
 * const fetch = stcFetch();
 * const users = await (await fetch("http://localhost:8080/users")).json();
 * ```
 *
 * A response in STC reads as JSON, and its headers say so; any other response is returned as it came. A request that
 * sets its own `Accept-Encoding` keeps it.
 *
 * Browsers do not let a page set `Accept-Encoding`. There, ask by media type:
 * `fetch(url, { headers: { Accept: "application/stc+json, application/json;q=0.9" } })`.
 */
export function stcFetch(
  fetch: typeof globalThis.fetch = globalThis.fetch,
  options: FetchOptions = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (!headers.has("Accept-Encoding")) headers.set("Accept-Encoding", ACCEPTED);
    if (options.version === 2) headers.set("X-STC-Version", "2");
    return decoded(await fetch(input, { ...init, headers }), options);
  };
}

async function decoded(response: Response, options: DecodeOptions): Promise<Response> {
  const codings = list(response.headers.get("Content-Encoding"), ",");
  const mediaType = list(response.headers.get("Content-Type"), ";")[0];
  const isStc = codings[0] === "stc" || mediaType === MEDIA_TYPE;
  // A part of a text (206) cannot be decoded.
  if (!isStc || response.body === null || response.status === 206) return response;

  let body = await response.arrayBuffer();
  for (const coding of codings.slice(1).reverse()) body = await undo(coding, body);
  const stc = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  return new DecodedResponse(stc === "" ? null : decodeStc(stc, options), response, mediaType === MEDIA_TYPE);
}

/** How a body in this coding starts, and no STC does. */
const FIRST_BYTE: Record<string, number> = { gzip: 0x1f, deflate: 0x78 };

/** Undoes a coding, unless `fetch` has: Node leaves all of them in place when it does not know one, others do not. */
async function undo(coding: string, body: ArrayBuffer): Promise<ArrayBuffer> {
  if (FIRST_BYTE[coding] === undefined || new Uint8Array(body)[0] !== FIRST_BYTE[coding]) return body;
  const plain = new Blob([body]).stream().pipeThrough(new DecompressionStream(coding as CompressionFormat));
  return new Response(plain).arrayBuffer();
}

/** The JSON in place of the STC. What a new `Response` cannot be told, such as its `url`, is asked of the original. */
class DecodedResponse extends Response {
  readonly #original: Response;

  constructor(body: BodyInit | null, original: Response, setsType: boolean) {
    const headers = new Headers(original.headers);
    headers.delete("Content-Encoding");
    headers.delete("Content-Length");
    if (setsType) headers.set("Content-Type", "application/json");
    super(body, { status: original.status, statusText: original.statusText, headers });
    this.#original = original;
  }

  override get url(): string {
    return this.#original.url;
  }

  override get redirected(): boolean {
    return this.#original.redirected;
  }

  override get type(): ResponseType {
    return this.#original.type;
  }

  override clone(): Response {
    return new DecodedResponse(super.clone().body, this, false);
  }
}

function list(header: string | null, separator: string): string[] {
  return (header ?? "").split(separator).map((item) => item.trim().toLowerCase());
}
