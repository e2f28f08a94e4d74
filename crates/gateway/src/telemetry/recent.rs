//! The latest new results, because a new subscriber should see something at once. In figures: events are made of them
//! only for a subscriber.

use super::event;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;
use tokenforge_conversation::report::{RequestReport, ResultReport};

/// How many results are remembered.
const RESULTS: usize = 200;

/// The latest new results.
#[derive(Debug, Default)]
pub(super) struct RecentReports(VecDeque<(SystemTime, Arc<RequestReport>, ResultReport)>);

impl RecentReports {
    /// Results that were sent before are not new.
    pub(super) fn add(&mut self, now: SystemTime, report: &RequestReport) {
        let mut new = report.results.iter().filter(|result| !result.is_repeated).peekable();
        if new.peek().is_none() {
            return;
        }
        let request = Arc::new(report.without_results());
        for result in new {
            self.0.push_back((now, request.clone(), result.clone()));
            while self.0.len() > RESULTS {
                self.0.pop_front();
            }
        }
    }

    /// The events of all of them, from the oldest to the latest.
    pub(super) fn events(&self) -> Vec<Value> {
        self.0
            .iter()
            .map(|(time, report, result)| event::result_event(*time, report, result))
            .collect()
    }
}
