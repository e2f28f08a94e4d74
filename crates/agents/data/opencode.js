// Written by `tokenforge init opencode`; `tokenforge uninit opencode` takes it away.
import { spawn } from "node:child_process"

const program = "@PROGRAM@"

// What to show instead of each text of a result; nothing at all if anything goes wrong.
const shortened = (call) =>
  new Promise((resolve) => {
    const child = spawn(program, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"], timeout: 15_000 })
    let said = ""
    child.on("error", () => resolve([]))
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (piece) => (said += piece))
    child.on("close", () => {
      try {
        resolve(JSON.parse(said).texts)
      } catch {
        resolve([])
      }
    })
    child.stdin.end(JSON.stringify(call))
  }).catch(() => [])

export const Tokenforge = async ({ directory }) => ({
  "tool.execute.after": async (call, result) => {
    // A tool of opencode's own answers with a text, one of a tool server with blocks.
    const blocks = Array.isArray(result?.content) ? result.content.filter((block) => block?.type === "text") : []
    const texts = typeof result?.output === "string" ? [result.output] : blocks.map((block) => block.text)
    if (!texts.length) return
    const is_error = Boolean(result.metadata?.exit)
    const said = await shortened({ tool: call.tool, arguments: call.args, is_error, project: directory, texts })
    texts.forEach((_, index) => {
      if (typeof said?.[index] !== "string") return
      if (typeof result.output === "string") result.output = said[index]
      else blocks[index].text = said[index]
    })
  },
})
