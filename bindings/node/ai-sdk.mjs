// Vercel AI SDK: a middleware that makes tool results smaller on their way to the model, and the tool to fetch originals with.
import { jsonSchema, tool } from "ai";
import { Compressor, EXPAND_TOOL, OriginalNotFound } from "./index.mjs";

/** The middleware, and the tools to spread into yours. */
export function tokenforge(compressor = new Compressor()) {
  return {
    middleware: {
      specificationVersion: "v4",
      async transformParams({ params, model }) {
        return { ...params, prompt: await compressedPrompt(compressor, params, model.modelId) };
      },
    },
    tools: { [EXPAND_TOOL.name]: expandTool(compressor) },
  };
}

function expandTool(compressor) {
  return tool({
    description: EXPAND_TOOL.description,
    inputSchema: jsonSchema(EXPAND_TOOL.input_schema),
    async execute({ id, lines, grep, path }) {
      try {
        return await compressor.expand(String(id), { lines, grep, path });
      } catch (error) {
        if (error instanceof OriginalNotFound) return error.message;
        throw error;
      }
    },
  });
}

/** The prompt, with smaller texts in its tool results. All else in it is the same objects. */
async function compressedPrompt(compressor, { prompt, tools = [] }, model) {
  const places = prompt.flatMap((message, index) =>
    message.role === "tool" ? message.content.flatMap((part, at) => textsOf(part).map((text) => ({ index, at, ...text }))) : [],
  );
  if (places.length === 0) return prompt;
  const callerFetches = tools.some(({ name }) => name === EXPAND_TOOL.name);
  const messages = prompt.map(inChatForm).flat();
  const made = await compressor.compress(messages, { provider: "openai_chat", model, callerFetches });
  const sent = made.request.messages.filter(({ role }) => role === "tool").flatMap(({ content }) => content.map(({ text }) => text));
  const changed = [...prompt];
  places.forEach(({ index, at, text, with: withText }, place) => {
    if (sent[place] === text) return;
    const message = { ...changed[index], content: [...changed[index].content] };
    message.content[at] = withText(message.content[at], sent[place]);
    changed[index] = message;
  });
  return changed;
}

/** The texts in a result, each with how to put another in its place. */
function textsOf({ type, output }) {
  if (type !== "tool-result") return [];
  switch (output.type) {
    case "text":
    case "error-text":
      return [{ text: output.value, with: (part, value) => ({ ...part, output: { ...part.output, value } }) }];
    case "json":
    case "error-json": {
      const as = output.type === "json" ? "text" : "error-text";
      const replaced = (part, value) => ({ ...part, output: { ...part.output, type: as, value } });
      return [{ text: JSON.stringify(output.value), with: replaced }];
    }
    case "content":
      return output.value.flatMap((block, position) => {
        const replaced = (part, text) => ({
          ...part,
          output: { ...part.output, value: part.output.value.with(position, { ...part.output.value[position], text }) },
        });
        return block.type === "text" ? [{ text: block.text, with: replaced }] : [];
      });
    default:
      return [];
  }
}

function inChatForm({ role, content }) {
  if (role === "system") return { role, content };
  if (role === "user") return { role, content: said(content) };
  if (role === "assistant") {
    const calls = content.filter(({ type }) => type === "tool-call").map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      type: "function",
      function: { name: toolName, arguments: typeof input === "string" ? input : JSON.stringify(input) },
    }));
    return { role, content: said(content), ...(calls.length > 0 && { tool_calls: calls }) };
  }
  return content.filter(({ type }) => type === "tool-result").map((part) => ({
    role: "tool",
    tool_call_id: part.toolCallId,
    content: textsOf(part).map(({ text }) => ({ type: "text", text })),
  }));
}

function said(content) {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
