// CommonJS with types.
import engine = require("@tokenforge/engine");

const compressor: engine.Compressor = new engine.Compressor({ settings: { pipes: { tool_output: { mode: "lossless" } } } });
const made: engine.CompressedText = compressor.compressOutputSync("text");
const tokens: number = made.tokensAfter;
export = tokens;
