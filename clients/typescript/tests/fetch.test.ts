/** The fetch helper, with Node's own fetch against a real server. */

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";

import { StcError, stcFetch } from "../src/index.js";

const JSON_TEXT = '[{"id":1,"name":"é"},{"id":2,"name":"b"}]';
const STC = '[2]{id,name}: 1,"é" / 2,"b"';
const STC2 = "stc2\n[2]{id name}\n1 é\n2 b";
const TYPE = "application/stc+json";

type Reply = [status: number, headers: Record<string, string>, body: string | Uint8Array];

const DECODED: Record<string, Reply> = {
  "/stc": [200, { "Content-Encoding": "stc", "Content-Type": TYPE, ETag: '"1"' }, STC],
  "/stc2": [200, { "Content-Encoding": "stc", "Content-Type": TYPE, "X-STC-Version": "2" }, STC2],
  "/problem": [400, { "Content-Encoding": "STC", "Content-Type": "application/problem+json" }, STC],
  "/gzip": [200, { "Content-Encoding": "stc, gzip", "Content-Type": TYPE }, gzipSync(STC)],
  "/deflate": [200, { "Content-Encoding": "stc, deflate", "Content-Type": TYPE }, deflateSync(STC)],
  "/undone": [200, { "Content-Encoding": "stc, gzip", "Content-Type": TYPE }, STC],
  "/type": [200, { "Content-Type": `${TYPE}; charset=utf-8` }, STC],
  "/type-gzip": [200, { "Content-Type": TYPE, "Content-Encoding": "gzip" }, gzipSync(STC)],
};

const OTHERS: Record<string, Reply> = {
  "/json": [200, { "Content-Type": "application/json" }, JSON_TEXT],
  "/partial": [206, { "Content-Encoding": "stc", "Content-Type": TYPE }, STC.slice(0, 5)],
  "/not-modified": [304, { "Content-Encoding": "stc", "Content-Type": TYPE }, ""],
  "/broken": [200, { "Content-Encoding": "stc", "Content-Type": TYPE }, "[2]{a}: 1"],
  "/not-utf8": [200, { "Content-Encoding": "stc", "Content-Type": TYPE }, Uint8Array.of(0x22, 0xff, 0x22)],
  "/empty": [200, { "Content-Encoding": "stc", "Content-Type": TYPE }, ""],
  "/moved": [302, { Location: "/stc" }, ""],
};

let server: Server;
let url: string;

before(async () => {
  server = createServer((request, response) => {
    const names = ["accept-encoding", "x-own", "x-stc-version"];
    const asked = names.map((name) => request.headers[name]).join("|");
    const [status, headers, body] = { ...DECODED, ...OTHERS }[request.url!] ?? [200, {}, asked];
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

for (const path of Object.keys(DECODED)) {
  test(`S10 ${path} reads as JSON`, async () => {
    const response = await stcFetch()(url + path);
    const [status] = DECODED[path]!;
    assert.equal(response.status, status);
    assert.equal(response.ok, status === 200);
    assert.equal(response.url, url + path);
    assert.equal(response.headers.get("Content-Type"), `application/${path === "/problem" ? "problem+" : ""}json`);
    assert.equal(response.headers.get("Content-Encoding"), null);
    assert.equal(response.headers.get("Content-Length"), null);
    assert.equal(response.headers.get("ETag"), path === "/stc" ? '"1"' : null);
    const copy = response.clone();
    assert.equal(copy.url, url + path);
    assert.deepEqual(await copy.json(), JSON.parse(JSON_TEXT));
    assert.equal(await response.text(), JSON_TEXT);
  });
}

test("H1 H4 other responses are returned as they came", async () => {
  for (const path of ["/json", "/partial", "/not-modified"]) {
    let original: Response | undefined;
    const spy: typeof fetch = async (...request) => (original = await fetch(...request));
    assert.equal(await stcFetch(spy)(url + path), original, path);
  }
});

test("H4 a body that is not there stays away", async () => {
  assert.equal(await (await stcFetch()(url + "/stc", { method: "HEAD" })).text(), "");
  assert.equal(await (await stcFetch()(url + "/empty")).text(), "");
});

test("H3 what is asked for", async () => {
  const ask = async (...request: Parameters<typeof fetch>) => (await stcFetch()(...request)).text();
  assert.equal(await ask(url + "/asked"), "stc, gzip, deflate||");
  assert.equal(await ask(new URL("/asked", url)), "stc, gzip, deflate||");
  assert.equal(await ask(url + "/asked", { headers: { "Accept-Encoding": "br" } }), "br||");
  assert.equal(await ask(new Request(url + "/asked", { headers: { "X-Own": "kept" } })), "stc, gzip, deflate|kept|");
  const versed = await stcFetch(fetch, { version: 2 })(url + "/asked");
  assert.equal(await versed.text(), "stc, gzip, deflate||2");
});

test("S10 redirects are followed and told", async () => {
  const response = await stcFetch()(url + "/moved");
  assert.deepEqual([response.url, response.redirected, await response.text()], [url + "/stc", true, JSON_TEXT]);
});

test("K10 a broken body is an error", async () => {
  await assert.rejects(stcFetch()(url + "/broken"), StcError);
  await assert.rejects(stcFetch()(url + "/not-utf8"), TypeError);
  await assert.rejects(stcFetch(fetch, { maxOutput: 10 })(url + "/stc"), /at most 10 bytes/);
});
