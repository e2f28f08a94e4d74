//! Events in a file, written by a thread of its own.

use super::background_queue::{BackgroundQueue, QueueWorker};
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tokenforge_config::Monitoring;

/// What an event keeps that is too long to be written whole.
const ESSENTIAL: [&str; 6] =
    ["time", "tool", "call_id", "verdict", "before_tokens", "after_tokens"];

/// A file of events, one JSON object a line.
pub(super) struct EventLog {
    path: PathBuf,
    queue: BackgroundQueue<String>,
    longest: usize,
}

impl EventLog {
    /// The log that the settings name. A file that cannot be opened is said, and is no reason not to serve.
    pub(super) fn open(settings: &Monitoring) -> Option<Self> {
        let path = settings.compression_log.clone()?;
        let file = match private(&path) {
            Ok(file) => file,
            Err(error) => {
                tracing::error!(path = %path.display(), %error, "events are not written");
                return None;
            }
        };
        let queue = BackgroundQueue::start(settings.log_queue_capacity, BufWriter::new(file));
        Some(EventLog { path, queue, longest: settings.log_max_event_bytes })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    /// Queues an event without blocking. Returns `false` if the queue was full and the event was dropped.
    pub(super) fn write(&self, event: &Value) -> bool {
        let mut line = event.to_string();
        if line.len() > self.longest {
            line = shortened(event).to_string();
        }
        line.len() <= self.longest && self.queue.leave(line)
    }
}

fn shortened(event: &Value) -> Value {
    let part = |name: &&str| Some(((*name).to_owned(), event.get(*name)?.clone()));
    let mut short: Map<String, Value> = ESSENTIAL.iter().filter_map(part).collect();
    short.insert("is_shortened".to_owned(), true.into());
    short.into()
}

impl QueueWorker<String> for BufWriter<File> {
    fn take(&mut self, line: String) {
        let _ = writeln!(self, "{line}");
    }

    fn rest(&mut self) {
        let _ = self.flush();
    }
}

/// A file for its owner alone, in a folder that is made if it is not there.
fn private(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d42_the_folder_of_the_log_is_made() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("target/logs/events.jsonl");
        let settings = Monitoring { compression_log: Some(path.clone()), ..Monitoring::default() };
        assert!(EventLog::open(&settings).is_some());
        assert!(path.is_file());
    }
}
