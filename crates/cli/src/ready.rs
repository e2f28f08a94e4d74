//! `tokenforge ready`: does the gateway take requests? For health checks in containers that have no other HTTP client.

use crate::gateway::{Gateway, url};
use crate::settings::{self, Source};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;
use tokenforge_config::Overrides;

/// Exit with 0 if the gateway takes requests
#[derive(Args)]
#[command(after_help = "Example:\n  tokenforge ready --gateway http://127.0.0.1:8787")]
pub(crate) struct Ready {
    /// Where it is [default: where the settings say that it listens]
    #[arg(long, value_name = "URL")]
    gateway: Option<String>,

    /// The settings file [default: tokenforge.yaml here, or in the folder for settings]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

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
    let is_ready = runtime.block_on(async { Gateway::new(&address, None)?.is_ready().await })?;
    if !is_ready {
        bail!("the gateway at {address} takes no requests");
    }
    Ok(())
}
