//! What new results saved in each of the last minutes.

use serde::Serialize;
use std::collections::VecDeque;
use std::time::Instant;

/// How many minutes are remembered.
const MINUTES: usize = 60;

/// The figures of the last minutes.
#[derive(Debug)]
pub(super) struct RecentMinutes {
    start: Instant,
    latest_last: VecDeque<(u64, MinuteFigures)>,
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
struct MinuteFigures {
    results: u64,
    tokens_before: u64,
    tokens_after: u64,
}

/// A minute, counted back from now.
#[derive(Debug, Serialize)]
pub(super) struct MinuteSavings {
    minutes_ago: u64,
    #[serde(flatten)]
    figures: MinuteFigures,
}

impl Default for RecentMinutes {
    fn default() -> Self {
        RecentMinutes { start: Instant::now(), latest_last: VecDeque::new() }
    }
}

impl RecentMinutes {
    /// A new result, as it came and as it went on.
    pub(super) fn add(&mut self, before: u64, after: u64) {
        let now = self.now();
        if self.latest_last.back().is_none_or(|(minute, _)| *minute != now) {
            self.latest_last.push_back((now, MinuteFigures::default()));
            while self.latest_last.len() > MINUTES {
                self.latest_last.pop_front();
            }
        }
        if let Some((_, figures)) = self.latest_last.back_mut() {
            figures.results += 1;
            figures.tokens_before += before;
            figures.tokens_after += after;
        }
    }

    /// Those of the last hour in which there was something.
    pub(super) fn last_hour(&self) -> Vec<MinuteSavings> {
        let now = self.now();
        let minute = |(minute, figures): &(u64, MinuteFigures)| {
            let minutes_ago = now.saturating_sub(*minute);
            (minutes_ago < MINUTES as u64)
                .then_some(MinuteSavings { minutes_ago, figures: *figures })
        };
        self.latest_last.iter().filter_map(minute).collect()
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_secs() / 60
    }
}
