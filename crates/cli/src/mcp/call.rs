//! `tokenforge mcp call`: a tool's answer in every form, with its tokens.

mod conversation;
mod forms;
mod given;
mod show;

use super::backends::{BackendSource, GatewayOptions, names, unknown};
use super::originals::LocalOriginals;
use super::target::CallTarget;
use crate::engine::TENANT;
use crate::{arguments, output};
use anyhow::{Context, bail};
use clap::Args;
use conversation::ServerConversation;
use forms::{AnswerForms, FormName};
use serde_json::Value;
use std::env;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};
use tokenforge_config::{McpBackend, McpTarget, Secret, Settings, Structured};
use tokenforge_formats::negotiate::{Format, StcVersion};
use tokenforge_mcp::{HubSettings, ToolCall, rewrite_and_store, rule};

pub(super) const EXAMPLES: &str = "\
Examples:
  tokenforge mcp call files list_directory path=/tmp
  tokenforge mcp call files read_text_file '{\"path\": \"/tmp/a\"}' --format toon
  tokenforge mcp call get_current_time timezone=UTC -- uvx mcp-server-time
  tokenforge mcp call search query=bug --url https://mcp.example.com/mcp --json

A server by NAME is asked through the gateway; if none answers, it is started here from the gateway's files. The \
tool is called once, and its answer is shown in every form.";

#[derive(Args)]
#[command(override_usage = "tokenforge mcp call [OPTIONS] NAME TOOL [ARGUMENTS]\n       \
                      tokenforge mcp call [OPTIONS] TOOL [ARGUMENTS] --url URL\n       \
                      tokenforge mcp call [OPTIONS] TOOL [ARGUMENTS] -- CMD...")]
pub(super) struct CallArgs {
    /// The server (unless it is given by --url or --), the tool, and its arguments: one JSON object, key=value, or - to
    /// read the object from standard input
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,

    /// Print the answer in this form, and nothing else
    #[arg(long, value_enum, value_name = "FORM", conflicts_with = "json")]
    format: Option<FormName>,

    /// Print {"server", "tool", "is_error", "chosen", "forms": [{"form", "tokens", "bytes", "text"}], "others"}
    #[arg(long)]
    json: bool,

    /// Give up after this long, such as 30s [default: what the server's settings say]
    #[arg(long, value_name = "TIME", value_parser = arguments::time)]
    timeout: Option<Duration>,

    /// Your key for the gateway [default: FORGE_KEY, or the settings]
    #[arg(long, value_name = "KEY")]
    key: Option<String>,

    #[command(flatten)]
    gateway_options: GatewayOptions,

    #[command(flatten)]
    target: CallTarget,
}

/// A tool that was called.
struct CompletedCall {
    tool: String,
    arguments: String,
    /// Does it promise structured content?
    is_promised: bool,
    answer: String,
}

pub(super) async fn run(call: &CallArgs) -> anyhow::Result<()> {
    let settings = call.gateway_options.definitions()?.settings;
    let (conversation, words) = call.conversation(&settings).await?;
    let called = call.call_with_timeout(&conversation, words).await;
    conversation.end().await;
    let called = called?;
    let answered = called.all_forms(conversation.server(), &settings)?;
    match call.format {
        Some(form) => output::write(answered.text(form)?)?,
        None if call.json => {
            let document = show::document(conversation.server(), &called.tool, &answered);
            output::print(&document.to_string())?;
        }
        None => output::print(&show::page(conversation.server(), &called.tool, &answered))?,
    }
    if answered.is_error {
        bail!("the tool `{}` reported an error", called.tool);
    }
    Ok(())
}

impl CallArgs {
    /// Whom to ask, and the words after its name.
    async fn conversation(
        &self,
        settings: &Settings,
    ) -> anyhow::Result<(ServerConversation, &[String])> {
        let connect = settings.limits.connect_timeout;
        if let Some(definition) = self.target.definition()? {
            let name = own_name(&definition);
            let mut backend = McpBackend::from_json(&name, &definition)?;
            if let McpTarget::Command { env, .. } = &mut backend.target {
                // As for any program that is started from this shell.
                for (name, value) in env::vars_os() {
                    let pair = name.into_string().ok().zip(value.into_string().ok());
                    let Some((name, value)) = pair else { continue };
                    env.entry(name).or_insert_with(|| Secret::new(value));
                }
            }
            return Ok((ServerConversation::own(name, backend, connect), &self.words));
        }
        let [name, words @ ..] = &self.words[..] else {
            bail!("which server? Give its name, --url URL, or its program after --")
        };
        let conversation = match self.gateway_options.find_backends().await? {
            BackendSource::Running(gateway, backends) => {
                // A client that may not list the servers may still use one.
                let names = backends.as_deref().map(names);
                if let Ok(names) = names
                    && !names.contains(&name.as_str())
                {
                    return Err(unknown(name, &names));
                }
                ServerConversation::through(gateway, self.key(settings), name.clone())
            }
            BackendSource::Files(files, _) => {
                let mut all = files.all();
                let Some(backend) = all.remove(name) else {
                    return Err(unknown(name, &all.keys().map(String::as_str).collect::<Vec<_>>()));
                };
                if !backend.enabled {
                    bail!("the tool server `{name}` is disabled");
                }
                ServerConversation::own(name.clone(), backend, connect)
            }
        };
        Ok((conversation, words))
    }

    /// A key in the settings is shown to the gateway of these settings, and to no other.
    fn key(&self, settings: &Settings) -> Option<Secret> {
        let set = || env::var("FORGE_KEY").ok().filter(|key| !key.is_empty());
        let given = self.key.clone().or_else(set).map(Secret::new);
        let own = settings.keys.first().filter(|_| !self.gateway_options.is_named());
        given.or_else(|| own.map(|own| own.key.clone()))
    }

    async fn call_with_timeout(
        &self,
        to: &ServerConversation,
        words: &[String],
    ) -> anyhow::Result<CompletedCall> {
        let asking = self.call_tool(to, words);
        match self.timeout {
            None => asking.await,
            Some(patience) => tokio::time::timeout(patience, asking).await.unwrap_or_else(|_| {
                bail!("`{}` did not answer within {} s", to.server(), patience.as_secs())
            }),
        }
    }

    async fn call_tool(
        &self,
        to: &ServerConversation,
        words: &[String],
    ) -> anyhow::Result<CompletedCall> {
        let tools = to.tools().await?;
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        let all = names.map(output::printable).collect::<Vec<_>>().join(", ");
        let [name, words @ ..] = words else {
            bail!("which tool of `{}`? It has {all}", to.server())
        };
        let Some(tool) = tools.iter().find(|tool| tool["name"] == name.as_str()) else {
            bail!("`{}` has no tool `{name}`; it has {all}", to.server());
        };
        let read;
        let words = match words {
            [only] if only == "-" => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).context("standard input")?;
                read = [text];
                &read
            }
            words => words,
        };
        let arguments = given::arguments(words, &tool["inputSchema"])?;
        let answer = to.call(name, &arguments).await?;
        let is_promised = tool["outputSchema"].is_object();
        Ok(CompletedCall { tool: name.clone(), arguments, is_promised, answer })
    }
}

impl CompletedCall {
    /// The answer in every form.
    fn all_forms(&self, server: &str, settings: &Settings) -> anyhow::Result<AnswerForms> {
        let engine = settings.tool_output.engine_settings();
        let counter = engine.counter;
        let expands = settings.tool_output.enable_expand_context;
        let must_redact = settings.redact_secrets;
        let mcp = settings.mcp.clone();
        let hub = HubSettings {
            mcp,
            engine,
            expands,
            lists_expand_tool: true,
            must_redact,
            has_tenants: false,
        };
        // A copy without a text is what a model would see.
        let has_texts = forms::has_texts(&self.answer);
        let call = ToolCall {
            server: server.to_owned(),
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            // What an agent gets whose model reads the text.
            rule: rule(&hub.mcp, server, &self.tool, hub.mcp.format.unwrap_or(Format::Auto)),
            stc_version: StcVersion::Two,
            structured: if has_texts { Structured::Keep } else { Structured::Drop },
            is_promised: self.is_promised,
            started: Instant::now(),
        };
        let originals = LocalOriginals::open();
        let sent = rewrite_and_store(&self.answer, &call, &hub, Some(&originals), TENANT).answer;
        forms::all_forms(&self.answer, sent.as_deref().unwrap_or(&self.answer), counter)
            .context("the answer is no result of a tool")
    }
}

/// What a server that was named by its program or address is called.
fn own_name(definition: &Value) -> String {
    let command = definition["command"].as_str().unwrap_or_default();
    let stem = Path::new(command).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if McpBackend::is_prefix(stem) { stem.to_owned() } else { "server".to_owned() }
}
