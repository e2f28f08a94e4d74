import engine from "./index.cjs";

export const { Compressor, EXPAND_TOOL, OriginalNotFound, TokenforgeError, count, decode, decodeOutput } = engine;
