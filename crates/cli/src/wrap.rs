//! `tokenforge wrap`: an agent behind a gateway, for as long as it runs.

mod child;
mod clients;
mod cline;
mod codex;
pub(crate) mod launch;
mod local_shell;
mod plan;
mod provider;
mod route;
mod savings;
mod variables;

pub(crate) use clients::{base_variables, wrappable_names};
pub(crate) use plan::ClientLaunch;
pub(crate) use variables::ClientVariables;

use crate::arguments::usage_error;
use crate::output::tell;
use crate::settings::{self, SettingsSource};
use crate::{alternatives, gateway, values};
use anyhow::Context;
use clap::{Args, ValueHint};
use clients::{WrappedClient, dialect_names};
use plan::BaseUrlPlan;
use route::GatewayRoute;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tokenforge_agents::Agent;
use tokenforge_config::Overrides;
use tokenforge_engine::Mode;
use tokio::process::Command;

const EXAMPLES: &str = "\
Examples:
  tokenforge wrap claude
  tokenforge wrap codex -- exec 'explain this project'
  tokenforge wrap --mode lossless gemini
  tokenforge wrap --dialect openai ./my-agent

Options of Tokenforge come before the agent, the agent's own after it. Only this run is affected: no file of the \
agent is changed, and nothing is left behind.";

/// How long what is under way may take to end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Run an agent behind Tokenforge, for this run only
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "tokenforge wrap [OPTIONS] AGENT [ARGS]...")]
pub(crate) struct WrapArgs {
    /// The agent, by name or path, and its arguments
    // One list: of two, what begins with a dash between them would be taken for an option of ours.
    #[arg(
        required = true,
        num_args = 1..,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "AGENT",
        value_parser = values::SuggestingParser(wrappable_names)
    )]
    command: Vec<OsString>,

    /// Run an agent that is not in the list: the provider whose variables it reads
    #[arg(long, value_name = "PROVIDER", value_parser = dialect_names())]
    dialect: Option<String>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// Send all requests here [default: where the agent would send them]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    backend_url: Option<String>,

    /// How much to do to tool results [default: what the settings say]
    #[arg(long, value_name = "MODE", alias = "tool-output-compression", value_parser = values::modes())]
    mode: Option<Mode>,

    /// Remove secrets from whole requests, and refuse requests that cannot be checked
    #[arg(long)]
    redact_secrets: bool,
}

/// Runs the agent; its exit code.
pub(crate) fn run(arguments: &WrapArgs) -> anyhow::Result<i32> {
    let agent = arguments.agent();
    let client = arguments.client(agent.program);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let code = runtime.block_on(arguments.run_wrapped(client, &agent));
    runtime.shutdown_timeout(FAREWELL);
    code
}

/// What is started.
struct AgentCommand<'a> {
    program: &'a str,
    arguments: &'a [OsString],
}

impl WrapArgs {
    fn agent(&self) -> AgentCommand<'_> {
        let (program, arguments) = match &self.command[..] {
            [program, dashes, arguments @ ..] if dashes == "--" => (program, arguments),
            [program, arguments @ ..] => (program, arguments),
            [] => usage_error("which agent? For example: tokenforge wrap claude"),
        };
        let Some(program) = program.to_str() else {
            usage_error("the path of the agent's program is not UTF-8");
        };
        AgentCommand { program, arguments }
    }

    fn client(&self, program: &str) -> WrappedClient {
        match &self.dialect {
            Some(dialect) => WrappedClient::of_dialect(dialect).unwrap_or_else(|| {
                usage_error("--dialect: expected anthropic, openai or gemini");
            }),
            None => WrappedClient::of_program(program)
                .unwrap_or_else(|| usage_error(&alternatives::to_wrap(program))),
        }
    }

    async fn run_wrapped(
        &self,
        client: WrappedClient,
        agent: &AgentCommand<'_>,
    ) -> anyhow::Result<i32> {
        let AgentCommand { program, arguments } = agent;
        let opened = self.open_route(client, program, arguments).await;
        let mut command = Command::new(program);
        let open = match opened {
            Ok((route, started)) => {
                command.envs(started.variables.iter().map(|(name, value)| (name, value)));
                command.args(&started.arguments);
                stay_local(command.as_std_mut());
                Some((route, started))
            }
            Err(error) => {
                tell(&format!(
                    "tokenforge: {error:#}\ntokenforge: so {program} runs without Tokenforge"
                ));
                None
            }
        };
        command.args(*arguments);
        let code = child::run(command).await;
        if let Some((route, started)) = open {
            // Its files have keys in them: they go first, whatever comes after.
            drop(started);
            let savings = route.close().await;
            if code.is_ok() {
                tell(&format!("tokenforge: {savings}"));
            }
        }
        code.with_context(|| format!("cannot run {program}"))
    }

    /// A way for the agent's requests, and what it is told about it.
    async fn open_route(
        &self,
        client: WrappedClient,
        program: &str,
        arguments: &[OsString],
    ) -> anyhow::Result<(GatewayRoute, ClientLaunch)> {
        let settings = self.source().load()?;
        let gateway = gateway::url(settings.listen);
        let plan = BaseUrlPlan::new(client, program, ClientVariables::Inherited, &gateway)?;
        let route = GatewayRoute::open(&plan, settings, self.is_special()).await?;
        let mark = local_shell::path_mark(client.name, arguments);
        let started = plan.start(&format!("{}{mark}", route.url()))?;
        Ok((route, started))
    }

    /// Was something asked for that a gateway which runs need not do?
    fn is_special(&self) -> bool {
        self.backend_url.is_some() || self.mode.is_some() || self.redact_secrets
    }

    fn source(&self) -> SettingsSource {
        let flags = Overrides {
            backend_url: self.backend_url.clone(),
            tool_output_compression: self.mode.map(|mode| mode.to_string()),
            redact_secrets: self.redact_secrets,
            ..Overrides::default()
        };
        // A project may be anybody's, and its file could send the agent's key anywhere.
        SettingsSource { file: self.config.clone().or_else(settings::users_file), flags }
    }
}

/// What an agent that is started with these variables is told so that it asks this address, whatever listens there.
pub(crate) fn probe_launch(
    agent: &'static Agent,
    program: &str,
    variables: ClientVariables<'_>,
    url: &str,
) -> anyhow::Result<ClientLaunch> {
    BaseUrlPlan::new(WrappedClient::from(agent), program, variables, url)?.start(url)
}

/// A proxy of the user's is for what is outside: the gateway is not.
fn stay_local(command: &mut std::process::Command) {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].iter().any(is_set) {
        return;
    }
    for name in ["NO_PROXY", "no_proxy"] {
        let hosts = env::var(name).unwrap_or_default();
        let all: Vec<_> = [hosts.as_str(), "127.0.0.1", "localhost"]
            .into_iter()
            .filter(|host| !host.is_empty())
            .collect();
        command.env(name, all.join(","));
    }
}
