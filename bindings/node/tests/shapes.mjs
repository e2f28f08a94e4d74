// A conversation with one tool result, in the shape of each provider, and the result as it is in a request.

const COMMAND = { command: "cargo test" };
const ARGUMENTS = JSON.stringify(COMMAND);
const SCHEMA = { type: "object", properties: { command: { type: "string" } } };

/** Where the conversation stands, the conversation, and the other members of the request. */
export function shaped(provider, text) {
  switch (provider) {
    case "anthropic":
    case "bedrock_invoke": {
      const messages = [
        { role: "user", content: "test it" },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_01", name: "Bash", input: COMMAND }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01", content: text }] },
      ];
      const anthropic_version = "bedrock-2023-05-31"; // by which it is known that the model is one of Anthropic's
      const model = provider === "anthropic" ? { model: "claude-sonnet-4-5" } : { modelId: "us.anthropic.claude-opus-5-5", anthropic_version };
      return ["messages", messages, { max_tokens: 1000, tools: [{ name: "Bash", input_schema: SCHEMA }], ...model }];
    }
    case "bedrock_converse": {
      const messages = [
        { role: "user", content: [{ text: "test it" }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "Bash", input: COMMAND } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text }] } }] },
      ];
      const tools = [{ toolSpec: { name: "Bash", inputSchema: { json: SCHEMA } } }];
      return ["messages", messages, { modelId: "amazon.nova-pro-v1:0", toolConfig: { tools } }];
    }
    case "gemini": {
      const contents = [
        { role: "user", parts: [{ text: "test it" }] },
        { role: "model", parts: [{ functionCall: { name: "Bash", args: COMMAND } }] },
        { role: "user", parts: [{ functionResponse: { name: "Bash", response: { output: text } } }] },
      ];
      const tools = [{ functionDeclarations: [{ name: "Bash", parameters: SCHEMA }] }];
      return ["contents", contents, { model: "gemini-3-pro", tools }];
    }
    case "openai_responses": {
      const input = [
        { role: "user", content: "test it" },
        { type: "function_call", call_id: "call_1", name: "Bash", arguments: ARGUMENTS },
        { type: "function_call_output", call_id: "call_1", output: text },
      ];
      return ["input", input, { model: "gpt-5", store: false, tools: [{ type: "function", name: "Bash", parameters: SCHEMA }] }];
    }
    default: {
      const isOllama = provider === "ollama";
      const called = { id: "call_1", type: "function", function: { name: "Bash", arguments: isOllama ? COMMAND : ARGUMENTS } };
      const messages = [
        { role: "user", content: "test it" },
        { role: "assistant", content: "", tool_calls: [called] },
        { role: "tool", content: text, ...(isOllama ? { tool_name: "Bash" } : { tool_call_id: "call_1" }) },
      ];
      const tools = [{ type: "function", function: { name: "Bash", parameters: SCHEMA } }];
      return ["messages", messages, { model: isOllama ? "qwen3:70b" : "gpt-5", tools }];
    }
  }
}

/** The text of the result in a request. */
export function resultOf(provider, request) {
  switch (provider) {
    case "anthropic":
    case "bedrock_invoke":
      return request.messages.at(-1).content[0].content;
    case "bedrock_converse":
      return request.messages.at(-1).content[0].toolResult.content[0].text;
    case "gemini":
      return request.contents.at(-1).parts[0].functionResponse.response.output;
    case "openai_responses":
      return request.input.at(-1).output;
    default:
      return request.messages.at(-1).content;
  }
}
