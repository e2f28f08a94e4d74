//! The log: on standard error.

use tokenforge_config::{Choice, Monitoring};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::Handle;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, fmt, reload};

/// How much is logged; can be changed while the gateway runs.
#[derive(Clone)]
pub(super) struct Level(Handle<LevelFilter, Registry>);

/// Starts the log.
pub(super) fn start(monitoring: &Monitoring) -> Level {
    let (filter, handle) = reload::Layer::new(level(monitoring));
    let lines = fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(filter).with(lines).init();
    Level(handle)
}

impl Level {
    pub(super) fn change(&self, monitoring: &Monitoring) {
        let _ = self.0.reload(level(monitoring));
    }
}

fn level(monitoring: &Monitoring) -> LevelFilter {
    monitoring.log_level.name().parse().unwrap_or(LevelFilter::INFO)
}
