import type { LanguageModelMiddleware, Tool } from "ai";
import type { Compressor } from "./index.mjs";

/**
 * Makes tool results smaller on their way to the model:
 *
 *     const { middleware, tools } = tokenforge();
 *     const model = wrapLanguageModel({ model: yours, middleware });
 *     await generateText({ model, tools: { ...yourTools, ...tools }, prompt });
 *
 * Without `tools` nothing is left out of a result that the model could not have again.
 */
export function tokenforge(compressor?: Compressor): {
  middleware: LanguageModelMiddleware;
  tools: { expand_context: Tool };
};
