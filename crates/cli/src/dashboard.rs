//! `tokenforge dashboard`: a one-time link that signs a browser in to the dashboard of a running gateway.

use crate::gateway::{GatewayClient, GatewayError};
use crate::output;
use crate::settings::{self, SettingsSource};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use serde_json::json;
use std::path::PathBuf;
use tokenforge_config::Overrides;

const EXAMPLES: &str = "\
Examples:
  tokenforge dashboard
  tokenforge dashboard --gateway http://127.0.0.1:9000

The link works once, within 5 minutes. Without it the dashboard shows figures only: no texts, no tools, no changes.";

/// Print a link that opens the dashboard, signed in
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DashboardArgs {
    /// The gateway's address [default: what the settings say, else http://127.0.0.1:8787]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    gateway: Option<String>,

    /// The gateway's admin token [default: FORGE_ADMIN_TOKEN, the settings, or the data folder]
    #[arg(long, value_name = "TOKEN")]
    admin_token: Option<String>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// Print {"link", "expires_in"}, in seconds
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &DashboardArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Inside the runtime, since connections belong to it.
    let asked = runtime.context("cannot wait for sockets")?.block_on(ask(arguments));
    let (link, expires_in) = asked?;
    let text = if arguments.json {
        json!({"link": link, "expires_in": expires_in}).to_string()
    } else {
        link
    };
    Ok(output::print(&text)?)
}

async fn ask(arguments: &DashboardArgs) -> anyhow::Result<(String, u64)> {
    let file = settings::file(arguments.config.as_deref());
    let settings = SettingsSource { file, flags: Overrides::default() }.load()?;
    let (named, given) = (arguments.gateway.as_deref(), arguments.admin_token.clone());
    let gateway = GatewayClient::of_operator(named, given, &settings)?;
    let asked = gateway.sign_in_link().await;
    if let Err(Some(GatewayError::Absent(why))) =
        asked.as_ref().map_err(anyhow::Error::downcast_ref)
    {
        bail!("no gateway answers at {}: {why}\n  start one: tokenforge serve", gateway.url);
    }
    asked
}
