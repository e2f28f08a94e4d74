// Puts the TypeScript of a page into a file: node page.js PAGE FILE
"use strict";

const fs = require("node:fs");

const [page, file] = process.argv.slice(2);
const blocks = [...fs.readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
if (blocks.length !== 5) throw new Error(`${page}: expected 5 blocks of TypeScript, found ${blocks.length}`);
fs.writeFileSync(file, blocks.join("\n"));
