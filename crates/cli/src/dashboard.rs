//! `tokenforge dashboard`: a one-time link that signs a browser in to the dashboard of a running gateway.

use crate::gateway::{Gateway, Trouble};
use crate::output;
use crate::settings::{self, Source};
use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tokenforge_config::Overrides;

const EXAMPLES: &str = "\
Examples:
  tokenforge dashboard
  tokenforge dashboard --gateway http://127.0.0.1:9000

The link works once, within 5 minutes. Figures need no link: it is for changes, texts and tools.";

/// Print a link that opens the dashboard of a running gateway, signed in
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dashboard {
    /// The gateway [default: where the settings say that it listens, else http://127.0.0.1:8787]
    #[arg(long, value_name = "URL")]
    gateway: Option<String>,

    /// What its admin API asks for [default: FORGE_ADMIN_TOKEN, what the settings say, or the token in the data folder]
    #[arg(long, value_name = "TOKEN")]
    admin_token: Option<String>,

    /// The settings file [default: tokenforge.yaml here, or in the folder for settings]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print {"link", "expires_in"}, in seconds
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Dashboard) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Inside the runtime, since connections belong to it.
    let asked = runtime.context("cannot wait for sockets")?.block_on(ask(arguments));
    let (link, expires_in) = asked?;
    let text = match arguments.json {
        true => json!({"link": link, "expires_in": expires_in}).to_string(),
        false => link,
    };
    Ok(output::print(&text)?)
}

async fn ask(arguments: &Dashboard) -> anyhow::Result<(String, u64)> {
    let file = settings::file(arguments.config.as_deref());
    let settings = Source { file, flags: Overrides::default() }.load()?;
    let (named, given) = (arguments.gateway.as_deref(), arguments.admin_token.clone());
    let gateway = Gateway::of_operator(named, given, &settings)?;
    let asked = gateway.sign_in_link().await;
    if let Err(Some(Trouble::Absent(why))) = asked.as_ref().map_err(anyhow::Error::downcast_ref) {
        bail!("no gateway answers at {}: {why}; `tokenforge serve` starts one", gateway.url);
    }
    asked
}
