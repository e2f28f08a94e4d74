// JSON texts in, one JSON string a line; what GCF makes of each out, or null where it fails.
import { encodeGeneric, parseJSONOrdered } from "@blackwell-systems/gcf";
import { readFileSync } from "node:fs";

for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  let text = null;
  try {
    const encoded = encodeGeneric(parseJSONOrdered(JSON.parse(line)));
    // Half a character can be neither sent nor counted.
    if (encoded.isWellFormed()) text = encoded;
  } catch {
    // What it cannot hold is counted as minified JSON.
  }
  process.stdout.write(JSON.stringify(text) + "\n");
}
