//! `tokenforge ready`: does the gateway take requests? For health checks in containers that have no other HTTP client.

use crate::gateway::{Gateway, url};
use crate::settings::{self, Source};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokenforge_config::Overrides;

/// Exit with 0 if the gateway takes requests
#[derive(Args)]
#[command(after_help = "Example:\n  tokenforge ready --gateway http://127.0.0.1:8787 --wait 30")]
pub(crate) struct Ready {
    /// Where it is [default: where the settings say that it listens]
    #[arg(long, value_name = "URL")]
    gateway: Option<String>,

    /// The settings file [default: tokenforge.yaml here, or in the folder for settings]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How long to wait until it does [default: not at all]
    #[arg(long, value_name = "SECONDS", default_value_t = 0, hide_default_value = true)]
    wait: u32,
}

/// How soon a gateway that is not ready is asked again.
const RETRY_AFTER: Duration = Duration::from_millis(50);

pub(crate) fn run(arguments: &Ready) -> anyhow::Result<()> {
    let address = match &arguments.gateway {
        Some(address) => address.clone(),
        None => {
            let file = settings::file(arguments.config.as_deref());
            url(Source { file, flags: Overrides::default() }.load()?.listen)
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot wait for sockets")?;
    // Inside the runtime, since connections belong to it.
    runtime.block_on(until_ready(&address, Duration::from_secs(arguments.wait.into())))
}

/// Asks once, and again until it is ready or the time is over.
async fn until_ready(address: &str, patience: Duration) -> anyhow::Result<()> {
    let (gateway, began) = (Gateway::new(address, None)?, Instant::now());
    loop {
        let is_ready = gateway.is_ready().await;
        if matches!(is_ready, Ok(true)) {
            return Ok(());
        }
        if began.elapsed() >= patience {
            is_ready?;
            bail!("the gateway at {address} takes no requests");
        }
        tokio::time::sleep(RETRY_AFTER).await;
    }
}
