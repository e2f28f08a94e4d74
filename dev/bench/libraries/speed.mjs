// How long the engine takes in Node: one output of 20 KB at a time, each of them new. Prints JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "index.js"));
const { Compressor } = require("@tokenforge/engine");

const texts = JSON.parse(readFileSync(0, "utf8"));
const seconds = (began) => (performance.now() - began) / 1000;
let began = performance.now();
const compressor = new Compressor();
const times = { open: seconds(began) };
began = performance.now();
compressor.compressOutputSync(texts["warm up"][0], { tool: "Bash" });
times.first = seconds(began);
for (const [name, versions] of Object.entries(texts)) {
  times[name] = versions.map((text) => {
    began = performance.now();
    compressor.compressOutputSync(text, { tool: "Bash" });
    return seconds(began);
  });
  times[name].sort((a, b) => a - b);
}
console.log(JSON.stringify(times));
