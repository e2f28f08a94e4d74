//! `tokenforge ready`: does the gateway take requests? For health checks in containers that have no other HTTP client.

use crate::gateway::{GatewayClient, url};
use crate::output;
use crate::settings::{self, SettingsSource};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokenforge_config::Overrides;

/// Check that a gateway accepts requests: exit code 0 if it does
#[derive(Args)]
#[command(
    after_help = "Examples:\n  tokenforge ready\n  tokenforge ready --gateway http://127.0.0.1:9000 --wait 30"
)]
pub(crate) struct ReadyArgs {
    /// The gateway's address [default: what the settings say, else http://127.0.0.1:8787]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    gateway: Option<String>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// How long to wait for it [default: do not wait]
    #[arg(long, value_name = "SECONDS", default_value_t = 0, hide_default_value = true)]
    wait: u32,

    /// Print {"gateway", "ready", "why"}
    #[arg(long)]
    json: bool,
}

/// How soon a gateway that is not ready is asked again.
const RETRY_AFTER: Duration = Duration::from_millis(50);

pub(crate) fn run(arguments: &ReadyArgs) -> anyhow::Result<()> {
    let address = match &arguments.gateway {
        Some(address) => address.clone(),
        None => {
            let file = settings::file(arguments.config.as_deref());
            url(SettingsSource { file, flags: Overrides::default() }.load()?.listen)
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot wait for sockets")?;
    let gateway = GatewayClient::new(&address, None)?;
    // Inside the runtime, since connections belong to it.
    let patience = Duration::from_secs(arguments.wait.into());
    let why = runtime.block_on(until_ready(&gateway, patience));
    if arguments.json {
        let document = json!({"gateway": address, "ready": why.is_none(), "why": why});
        output::print(&document.to_string())?;
    }
    why.map_or(Ok(()), |why| bail!(why))
}

/// Asks once, and again until it is ready or the time is over; why it is not.
async fn until_ready(gateway: &GatewayClient, patience: Duration) -> Option<String> {
    let began = Instant::now();
    loop {
        let is_ready = gateway.is_ready().await;
        if matches!(is_ready, Ok(true)) {
            return None;
        }
        if began.elapsed() >= patience {
            return Some(why(gateway, is_ready.err()).await);
        }
        tokio::time::sleep(RETRY_AFTER).await;
    }
}

/// What is not as it must be, and what to do.
async fn why(gateway: &GatewayClient, error: Option<anyhow::Error>) -> String {
    let url = &gateway.url;
    if let Some(error) = error {
        return format!("nothing answers at {url}: {error:#}\n  start a gateway: tokenforge serve");
    }
    match gateway.version().await {
        Some(_) => format!(
            "the gateway at {url} is running, but does not accept requests: it is starting up or shutting down\n  \
             wait for it: tokenforge ready --gateway {url} --wait 30"
        ),
        None => format!(
            "what answers at {url} is not a Tokenforge gateway\n  \
             is the address right? `listen` in tokenforge.yaml, FORGE_LISTEN and --gateway set it"
        ),
    }
}
