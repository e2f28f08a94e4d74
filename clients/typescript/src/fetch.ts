/** `fetch` for JSON that may come as STC. */

import { decodeStc, type DecodeOptions } from "./decode.js";

const MEDIA_TYPE = "application/stc+json";
/** Only what can be undone here when it lies around STC, where `fetch` leaves it. */
const ACCEPTED = "stc, gzip, deflate";

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
  options: DecodeOptions = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (!headers.has("Accept-Encoding")) headers.set("Accept-Encoding", ACCEPTED);
    return decoded(await fetch(input, { ...init, headers }), options);
  };
}

async function decoded(response: Response, options: DecodeOptions): Promise<Response> {
  const codings = (response.headers.get("Content-Encoding") ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  const mediaType = (response.headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  const isCoded = codings[0] === "stc";
  // A part of a text cannot be decoded.
  if ((!isCoded && mediaType !== MEDIA_TYPE) || response.body === null || response.status === 206) return response;

  let body: ArrayBuffer = await response.clone().arrayBuffer();
  return response;
}
