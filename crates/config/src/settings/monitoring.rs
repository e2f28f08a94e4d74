//! What can be seen from outside.

use super::Choice;
use http::Uri;
use std::path::PathBuf;

/// Events, traces and logs.
#[derive(Debug, Clone, PartialEq)]
pub struct Monitoring {
    /// The file to which an event is appended for every tool result, as JSON lines.
    pub compression_log: Option<PathBuf>,
    /// How many events may wait to be written; more are dropped and counted.
    pub log_queue_capacity: usize,
    /// Events above this many bytes are shortened.
    pub log_max_event_bytes: usize,
    /// Where traces are sent.
    pub otlp_endpoint: Option<Uri>,
    /// What is logged.
    pub log_level: LogLevel,
    /// How many bytes of tool results may be kept in memory, for the operator to look at; 0: none. Unless set, it depends
    /// on who can reach the gateway: see [`Settings::content_bytes`](crate::Settings::content_bytes).
    pub content_bytes: Option<usize>,
}

impl Default for Monitoring {
    fn default() -> Self {
        Monitoring {
            compression_log: None,
            log_queue_capacity: 1024,
            log_max_event_bytes: 16 << 10,
            otlp_endpoint: None,
            log_level: LogLevel::default(),
            content_bytes: None,
        }
    }
}

/// What is logged: this and everything more important.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// What may fail soon.
    Warn,
    /// What happened.
    #[default]
    Info,
    /// How it happened.
    Debug,
    /// Every step of it.
    Trace,
}

impl Choice for LogLevel {
    const ALL: &'static [Self] =
        &[Self::Off, Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}
