//! Requests per second, latency and processor time, by the size of a request and how much of it is new.

use super::contender::{Contender, Figures, take_turns};
use super::conversation::{Conversation, Dialect, News};
use super::promises::Promises;
use super::results::ToolResult;
use super::{Field, Plan};
use std::fmt::Write;
use std::sync::Arc;

const SIZES: [(usize, &str); 3] = [(2_000, "2 KB"), (100_000, "100 KB"), (1_000_000, "1 MB")];
const CONNECTIONS: [usize; 2] = [1, 16];

const PASSTHROUGH: &str = "passthrough";
const OFF: &str = "gateway, off";
const REPEATED: &str = "gateway, standard, repeated history";

/// A table for each dialect, and the promises at 2 KB and 100 KB.
pub(crate) async fn measure(
    fields: &[Field],
    plan: Plan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    let lineups: Vec<_> = fields.iter().map(contenders).collect();
    let contenders = &lineups[0];
    let mut out = String::new();
    for dialect in Dialect::ALL {
        let _ = writeln!(out, "{}:\n\n{HEAD}", dialect.name());
        for (bytes, size) in SIZES {
            let conversation = Arc::new(Conversation::new(dialect, bytes, ToolResult::service_log));
            for connections in CONNECTIONS {
                eprintln!("{}, {size}, {connections} connections", dialect.name());
                let figures = take_turns(&lineups, &conversation, connections, plan).await?;
                push_rows(&mut out, &format!("{size}, {connections}"), contenders, &figures);
                let place = format!("{}, {size}, {connections}", dialect.name());
                promise(promises, &place, size, contenders, &figures);
            }
        }
        out.push('\n');
    }
    Ok(out)
}

fn contenders(field: &Field) -> Vec<Contender> {
    vec![
        Contender::new(PASSTHROUGH, &field.passthrough, News::Nothing),
        Contender::direct(&field.upstream),
        Contender::new(OFF, &field.off, News::Nothing),
        Contender::new(REPEATED, &field.standard, News::Nothing),
        Contender::new("gateway, standard, newest result fresh", &field.standard, News::Newest),
        Contender::new("gateway, standard, all results fresh", &field.standard, News::All),
    ]
}

/// The head of a table of contenders.
pub(crate) const HEAD: &str = "\
    | size, connections | | requests/s | of passthrough | p50, ms | p99, ms | CPU, µs/request | of passthrough | upstream bytes |\n\
    |---|---|---|---|---|---|---|---|---|";

/// A row for each contender; the first is the one that all are compared with.
pub(crate) fn push_rows(
    out: &mut String,
    place: &str,
    contenders: &[Contender],
    figures: &[Figures],
) {
    for (contender, own) in contenders.iter().zip(figures) {
        let cpu = match contender.pid {
            Some(_) => format!("{:.0} | {:.2}", own.cpu(), own.cpu() / figures[0].cpu()),
            None => " | ".to_owned(),
        };
        // Who drops the upstream's headers does not tell what arrived there.
        let arrived = Some(100.0 * own.arrived()).filter(|percent| *percent > 0.0);
        let arrived = arrived.map_or_else(String::new, |percent| format!("{percent:.0} %"));
        let _ = writeln!(
            out,
            "| {place} | {} | {:.0} | {:.2} | {:.3} | {:.3} | {cpu} | {arrived} |",
            contender.name,
            own.rate(),
            own.rate_against(&figures[0]),
            own.latency(0.5),
            own.latency(0.99),
        );
    }
}

fn promise(
    promises: &mut Promises,
    place: &str,
    size: &str,
    contenders: &[Contender],
    figures: &[Figures],
) {
    let percent = |name: &str| {
        let found = contenders.iter().zip(figures).find(|(contender, _)| contender.name == name);
        found.map_or(f64::NAN, |(_, own)| 100.0 * own.rate_against(&figures[0]))
    };
    let unit = "% of the passthrough's requests/s";
    if size != "1 MB" {
        promises.at_least(&format!("off: {place}"), 90.0, percent(OFF), unit);
    }
    if size == "100 KB" {
        let what = format!("standard, repeated history: {place}");
        promises.at_least(&what, 70.0, percent(REPEATED), unit);
    }
}
