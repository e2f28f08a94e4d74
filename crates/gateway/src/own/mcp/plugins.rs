//! The plugins, for calls of tools. None that encodes is among them: results are encoded here, after all plugins.

use crate::gateway::State;
use bytes::Bytes;
use std::sync::Arc;
use tokenforge_mcp::{Hook, HookFuture, Hooks};
use tokenforge_plugin::{Exchange, Outcome, Phase, ToolId};

/// How much of what a plugin says to a call that it refuses reaches the client.
const LONGEST_REFUSAL: usize = 4096;

/// Those that look at calls of tools; `None`: none does.
pub(super) fn of(state: &Arc<State>, exchange: &Exchange) -> Option<Arc<dyn Hooks>> {
    let chain = state.chains.of(false);
    let phases = [Phase::ToolCall, Phase::ToolResult];
    if phases.iter().all(|phase| chain.is_empty_for(*phase)) {
        return None;
    }
    let exchange = exchange.of_tool(ToolId::new("", ""));
    Some(Arc::new(Plugins { state: state.clone(), exchange }))
}

/// The plugins of a request, for the calls of tools in it.
struct Plugins {
    state: Arc<State>,
    exchange: Exchange,
}

impl Hooks for Plugins {
    fn begin(&self, server: &str, tool: &str) -> Box<dyn Hook> {
        let exchange = self.exchange.of_tool(ToolId::new(server, tool));
        Box::new(Called { state: self.state.clone(), exchange })
    }
}

/// One call.
struct Called {
    state: Arc<State>,
    exchange: Exchange,
}

impl Called {
    async fn run(&mut self, phase: Phase) -> Result<(), String> {
        let outcome = self.state.chains.of(false).run(phase, &mut self.exchange).await;
        for failure in self.exchange.take_failures() {
            tracing::warn!("{failure}");
        }
        match outcome {
            Outcome::Continue => Ok(()),
            Outcome::Terminate(answer) => {
                let status = answer.status();
                let text = String::from_utf8_lossy(answer.body())
                    .chars()
                    .take(LONGEST_REFUSAL)
                    .collect::<String>();
                Err(if text.is_empty() { format!("refused with status {status}") } else { text })
            }
        }
    }
}

impl Hook for Called {
    fn arguments(&mut self, arguments: Bytes) -> HookFuture<'_> {
        Box::pin(async move {
            self.exchange.set_tool_arguments(arguments.clone());
            self.run(Phase::ToolCall).await?;
            Ok(self.exchange.take_tool_arguments().unwrap_or(arguments))
        })
    }

    fn result(&mut self, result: Bytes) -> HookFuture<'_> {
        Box::pin(async move {
            self.exchange.set_tool_result(result.clone());
            self.run(Phase::ToolResult).await?;
            Ok(self.exchange.take_tool_result().unwrap_or(result))
        })
    }
}
