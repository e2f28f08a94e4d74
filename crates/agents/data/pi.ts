// Written by `tokenforge init pi`; `tokenforge uninit pi` takes it away.
import { spawn } from "node:child_process"

const program = "@PROGRAM@"

// What to show instead of each text of a result; nothing at all if anything goes wrong.
const shortened = (call: object): Promise<(string | null)[]> =>
  new Promise((resolve) => {
    const child = spawn(program, ["hook", "pi"], { stdio: ["pipe", "pipe", "ignore"], timeout: 15_000 })
    let said = ""
    child.on("error", () => resolve([]))
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece))
    child.on("close", () => {
      try {
        resolve(JSON.parse(said).texts)
      } catch {
        resolve([])
      }
    })
    child.stdin.end(JSON.stringify(call))
  }).catch(() => [])

export default function (pi: any) {
  pi.on("tool_result", async (event: any, context: any) => {
    const blocks = Array.isArray(event.content) ? event.content : []
    const texts = blocks.filter((block: any) => block?.type === "text").map((block: any) => block.text)
    if (!texts.length) return
    const call = { tool: event.toolName, arguments: event.input, is_error: event.isError === true, texts }
    const said = await shortened({ ...call, project: context?.cwd })
    if (!said?.some((text) => typeof text === "string")) return
    let at = 0
    const content = blocks.map((block: any) => {
      const text = block?.type === "text" ? said[at++] : null
      return typeof text === "string" ? { ...block, text } : block
    })
    return { content }
  })
}
