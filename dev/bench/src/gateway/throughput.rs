//! Requests per second, latency and processor time, by the size of a request and how much of it is new.

use super::contender::{Contender, ContenderFigures, take_turns};
use super::conversation::{Dialect, News, SyntheticConversation};
use super::promises::Promises;
use super::results::ToolResult;
use super::{ContenderField, MeasurePlan, lesser};
use std::fmt::Write;
use std::sync::Arc;

const SIZES: [(usize, &str); 3] = [(2_000, "2 KB"), (100_000, "100 KB"), (1_000_000, "1 MB")];
const CONNECTIONS: [usize; 2] = [1, 16];

const PASSTHROUGH: &str = "passthrough";
const OFF: &str = "off";
const REPEATED: &str = "standard, repeated history";

/// A table of all contenders, and the promises at 2 KB and 100 KB.
pub(crate) async fn measure(
    fields: &[ContenderField],
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    let lineups: Vec<_> = fields.iter().map(contenders).collect();
    let contenders = &lineups[0];
    let mut out = head(contenders);
    let mut least = Least::default();
    for dialect in Dialect::ALL {
        for (bytes, size) in SIZES {
            let conversation =
                Arc::new(SyntheticConversation::new(dialect, bytes, ToolResult::service_log));
            for connections in CONNECTIONS {
                let place = format!("{}, {size}, {connections}", dialect.name());
                eprintln!("{place} connections");
                let figures = take_turns(&lineups, &conversation, connections, plan).await?;
                push_row(&mut out, &place, contenders, &figures);
                least.see(size, contenders, &figures);
            }
        }
    }
    let unit = "% of the passthrough's requests/s";
    promises.at_least("off, 2 KB and 100 KB: the least of 8", 90.0, least.off, unit);
    let what = "standard, repeated history, 100 KB: the least of 4";
    promises.at_least(what, 70.0, least.repeated, unit);
    Ok(out)
}

fn contenders(field: &ContenderField) -> Vec<Contender> {
    vec![
        Contender::new(PASSTHROUGH, &field.passthrough, News::Nothing),
        Contender::direct(&field.upstream),
        Contender::new(OFF, &field.off, News::Nothing),
        Contender::new(REPEATED, &field.standard, News::Nothing),
        Contender::new("standard, newest result fresh", &field.standard, News::Newest),
        Contender::new("standard, all results fresh", &field.standard, News::All),
    ]
}

/// The head of a table with a column for each contender.
pub(crate) fn head(contenders: &[Contender]) -> String {
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
    format!(
        "In each cell: requests/s (against the passthrough's), p99, CPU of a request, and how much of the client's bytes \
         reached the upstream.\n\n| size, connections | {} |\n|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len()),
    )
}

/// A row with a cell for each contender; the first is the one that all are compared with.
pub(crate) fn push_row(
    out: &mut String,
    place: &str,
    contenders: &[Contender],
    figures: &[ContenderFigures],
) {
    let _ = write!(out, "| {place} |");
    for (contender, own) in contenders.iter().zip(figures) {
        let (rate, against) = (own.rate(), own.rate_against(&figures[0]));
        let _ = write!(out, " {rate:.0} ({against:.2}), {:.3} ms", own.latency(0.99));
        if contender.pid.is_some() {
            let _ = write!(out, ", {:.0} µs", own.cpu());
        }
        // Who drops the upstream's headers does not tell what arrived there.
        let arrived = 100.0 * own.share_arrived();
        if arrived > 0.0 {
            let _ = write!(out, ", {arrived:.0} %");
        }
        out.push_str(" |");
    }
    out.push('\n');
}

/// The least that was measured of what is promised, in percent of the passthrough.
struct Least {
    off: f64,
    repeated: f64,
}

impl Default for Least {
    fn default() -> Self {
        Self { off: f64::INFINITY, repeated: f64::INFINITY }
    }
}

impl Least {
    fn see(&mut self, size: &str, contenders: &[Contender], figures: &[ContenderFigures]) {
        let percent = |name: &str| {
            let found =
                contenders.iter().zip(figures).find(|(contender, _)| contender.name == name);
            found.map_or(f64::NAN, |(_, own)| 100.0 * own.rate_against(&figures[0]))
        };
        if size != "1 MB" {
            self.off = lesser(self.off, percent(OFF));
        }
        if size == "100 KB" {
            self.repeated = lesser(self.repeated, percent(REPEATED));
        }
    }
}
