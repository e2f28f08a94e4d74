//! What can be done with an agent that a command cannot help with.

use crate::hook::HookAgent;
use crate::links;
use crate::mcp;
use crate::wrap;

/// For `init`, which needs an agent that lets a hook change tool results.
pub(crate) fn to_init(agent: &str) -> Option<String> {
    let wraps = wrap::wrappable_names().contains(&agent);
    let is_known = wraps || mcp::client_names().contains(&agent);
    is_known.then(|| {
        let clients = HookAgent::all().map(HookAgent::id).collect::<Vec<_>>().join(", ");
        let mut lines = vec![format!(
            "{agent} has no hook that can change tool results; `init` supports {clients}"
        )];
        if wraps {
            lines.push(format!("run it behind Tokenforge instead: tokenforge wrap {agent}"));
        }
        lines.extend(tool_servers(agent));
        lines.join("\n  ")
    })
}

/// For `wrap`, which needs an agent that can be told where its provider is.
pub(crate) fn to_wrap(program: &str) -> String {
    let known = wrap::wrappable_names().join(", ");
    let mut lines = if mcp::client_names().contains(&program) {
        vec![format!("{program} cannot be told on its command line where its model provider is")]
    } else {
        vec![format!("`wrap` does not know the agent `{program}`; it knows {known}")]
    };
    lines.extend(tool_servers(program));
    lines.push(format!(
        "if it reads a provider's usual variables: tokenforge wrap --dialect anthropic {program} (or openai, gemini)"
    ));
    lines.push(format!(
        "if its settings have a base URL: run `tokenforge serve` and enter its address there; {}",
        links::docs("gateway")
    ));
    lines.join("\n  ")
}

fn tool_servers(agent: &str) -> Option<String> {
    let has_servers = mcp::client_names().contains(&agent);
    has_servers
        .then(|| format!("put its tool servers behind Tokenforge: tokenforge mcp wrap {agent}"))
}
