//! The log: on standard error.

use crate::screen::TextStyler;
use std::io::stderr;
use std::sync::Arc;
use tokenforge_config::{Choice, Monitoring};
use tokenforge_gateway::Gateway;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::Handle;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, fmt, reload};

/// How much is logged; can be changed while the gateway runs.
pub(super) struct LogLevel(Handle<LevelFilter, Registry>);

/// Starts the log.
pub(super) fn start(monitoring: &Monitoring) -> LogLevel {
    let (filter, handle) = reload::Layer::new(level(monitoring));
    let lines = fmt::layer().with_writer(stderr).with_ansi(TextStyler::stderr().is_wanted());
    tracing_subscriber::registry().with(filter).with(lines).init();
    LogLevel(handle)
}

/// Logs as much as the settings say, also when they change.
pub(super) async fn follow(log: LogLevel, gateway: Arc<Gateway>) {
    let mut changes = gateway.changes();
    while changes.changed().await.is_ok() {
        let _ = log.0.reload(level(&gateway.settings().monitoring));
    }
}

fn level(monitoring: &Monitoring) -> LevelFilter {
    monitoring.log_level.name().parse().unwrap_or(LevelFilter::INFO)
}
