//! What is called, how long it takes, what it saves: by tool and by minute. Names and numbers only.

mod times;

use crate::result::ResultFigures;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use times::LatencyHistogram;

/// Tools beyond this many are counted together: servers choose their names.
const TOOLS: usize = 500;
const OTHERS: &str = "(others)";

/// How many minutes are remembered.
const MINUTES: usize = 60;

/// Counts calls.
pub struct CallStats {
    start: Instant,
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    tools: BTreeMap<(String, String), ToolRow>,
    minutes: VecDeque<(u64, Minute)>,
}

#[derive(Default)]
struct ToolRow {
    calls: u64,
    errors: u64,
    times: LatencyHistogram,
    formats: BTreeMap<&'static str, SavedTokens>,
}

#[derive(Default, Clone, Copy)]
struct SavedTokens {
    results: u64,
    before: u64,
    after: u64,
}

#[derive(Default, Clone, Copy)]
struct Minute {
    calls: u64,
    errors: u64,
    before: u64,
    after: u64,
}

impl Default for CallStats {
    fn default() -> Self {
        CallStats { start: Instant::now(), tables: Mutex::default() }
    }
}

impl CallStats {
    /// A call was answered: after how long, with an error or not, and what became of its result.
    pub fn called(
        &self,
        prefix: &str,
        tool: &str,
        took: Duration,
        is_error: bool,
        figures: &ResultFigures,
    ) {
        let minute = self.start.elapsed().as_secs() / 60;
        let mut tables = self.tables();
        let (before, after) = (figures.tokens_before as u64, figures.tokens_after as u64);
        let row = tables.row(prefix, tool);
        row.calls += 1;
        row.errors += u64::from(is_error);
        row.times.add(took);
        if !is_error {
            let saved = row.formats.entry(figures.format).or_default();
            saved.results += 1;
            saved.before += before;
            saved.after += after;
        }
        let minute = tables.minute(minute);
        minute.calls += 1;
        minute.errors += u64::from(is_error);
        minute.before += before;
        minute.after += after;
    }

    /// All figures; the minutes count back from now.
    #[must_use]
    pub fn document(&self) -> Value {
        let now = self.start.elapsed().as_secs() / 60;
        let tables = self.tables();
        let tools: Vec<Value> = tables.tools.iter().map(tool).collect();
        let minutes: Vec<Value> = tables
            .minutes
            .iter()
            .map(|(at, minute)| {
                let Minute { calls, errors, before, after } = minute;
                json!({
                    "minutes_ago": now.saturating_sub(*at), "calls": calls, "errors": errors,
                    "tokens_before": before, "tokens_after": after,
                })
            })
            .collect();
        json!({"tools": tools, "minutes": minutes})
    }

    /// The figures of one server's tools, by name.
    #[must_use]
    pub fn of(&self, prefix: &str) -> Vec<Value> {
        self.tables().tools.iter().filter(|((own, _), _)| own == prefix).map(tool).collect()
    }

    /// The figures as Prometheus reads them.
    #[must_use]
    pub fn metrics(&self) -> String {
        let tables = self.tables();
        let mut text = String::new();
        if tables.tools.is_empty() {
            return text;
        }
        let label = |(prefix, tool): &(String, String)| {
            format!("backend=\"{}\",tool=\"{}\"", escaped(prefix), escaped(tool))
        };
        let mut counter = |name: &str, help: &str, value: &dyn Fn(&ToolRow) -> u64| {
            let _ = writeln!(text, "# HELP tokenforge_mcp_{name}_total {help}");
            let _ = writeln!(text, "# TYPE tokenforge_mcp_{name}_total counter");
            for (key, row) in &tables.tools {
                let _ =
                    writeln!(text, "tokenforge_mcp_{name}_total{{{}}} {}", label(key), value(row));
            }
        };
        counter("calls", "Calls of tools.", &|row| row.calls);
        counter("errors", "Calls of tools that failed.", &|row| row.errors);
        let _ =
            writeln!(text, "# HELP tokenforge_mcp_latency_seconds How long calls of tools take.");
        let _ = writeln!(text, "# TYPE tokenforge_mcp_latency_seconds summary");
        for (key, row) in &tables.tools {
            for part in [0.5, 0.95, 0.99] {
                let seconds = row.times.part(part).as_secs_f64();
                let label = label(key);
                let _ = writeln!(
                    text,
                    "tokenforge_mcp_latency_seconds{{{label},quantile=\"{part}\"}} {seconds:.6}"
                );
            }
        }
        let _ = writeln!(
            text,
            "# HELP tokenforge_mcp_tokens_saved Tokens that results have less, by form."
        );
        let _ = writeln!(text, "# TYPE tokenforge_mcp_tokens_saved gauge");
        for (key, row) in &tables.tools {
            for (format, saved) in &row.formats {
                let (label, saved) = (label(key), saved.before as i64 - saved.after as i64);
                let _ = writeln!(
                    text,
                    "tokenforge_mcp_tokens_saved{{{label},format=\"{format}\"}} {saved}"
                );
            }
        }
        text
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn row(&mut self, prefix: &str, tool: &str) -> &mut ToolRow {
        let key = (prefix.to_owned(), tool.to_owned());
        let is_known = self.tools.contains_key(&key) || self.tools.len() < TOOLS;
        let key = if is_known { key } else { (OTHERS.to_owned(), OTHERS.to_owned()) };
        self.tools.entry(key).or_default()
    }

    fn minute(&mut self, at: u64) -> &mut Minute {
        if self.minutes.back().is_none_or(|(last, _)| *last != at) {
            self.minutes.push_back((at, Minute::default()));
            if self.minutes.len() > MINUTES {
                self.minutes.pop_front();
            }
        }
        let last = self.minutes.len() - 1;
        &mut self.minutes[last].1
    }
}

fn tool(((prefix, name), row): (&(String, String), &ToolRow)) -> Value {
    let ms = |part| (row.times.part(part).as_secs_f64() * 1e6).round() / 1e3;
    let formats: BTreeMap<&str, Value> = row
        .formats
        .iter()
        .map(|(format, saved)| {
            let SavedTokens { results, before, after } = *saved;
            let figures = json!({
                "results": results, "tokens_before": before, "tokens_after": after,
                "tokens_saved": before as i64 - after as i64,
            });
            (*format, figures)
        })
        .collect();
    json!({
        "backend": prefix, "tool": name, "calls": row.calls, "errors": row.errors,
        "ms": {"p50": ms(0.5), "p95": ms(0.95), "p99": ms(0.99)},
        "formats": formats,
    })
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m15_calls_times_and_savings_are_counted_by_tool_and_form() {
        let stats = CallStats::default();
        let figures = ResultFigures {
            format: "toon",
            tokens_before: 100,
            tokens_after: 40,
            ..ResultFigures::default()
        };
        for ms in 1..=100 {
            stats.called("w", "t", Duration::from_millis(ms), false, &figures);
        }
        stats.called("w", "t", Duration::from_millis(1), true, &ResultFigures::default());
        let document = stats.document();
        let tool = &document["tools"][0];
        assert_eq!((&tool["calls"], &tool["errors"]), (&json!(101), &json!(1)));
        assert_eq!(tool["formats"]["toon"]["tokens_saved"], 6000);
        let near = |part: &str, ms: f64| {
            let value = tool["ms"][part].as_f64().unwrap();
            assert!((ms * 0.9..ms * 1.15).contains(&value), "{part} {value}");
        };
        near("p50", 50.0);
        near("p95", 95.0);
        near("p99", 99.0);
        assert_eq!(document["minutes"][0]["calls"], 101);
        let text = stats.metrics();
        assert!(
            text.contains("tokenforge_mcp_calls_total{backend=\"w\",tool=\"t\"} 101"),
            "{text}"
        );
        assert!(text.contains("format=\"toon\"} 6000"), "{text}");
        assert!(text.contains("quantile=\"0.99\""), "{text}");
    }

    #[test]
    fn names_without_end_are_counted_together() {
        let stats = CallStats::default();
        for n in 0..TOOLS + 50 {
            stats.called("w", &n.to_string(), Duration::ZERO, false, &ResultFigures::default());
        }
        assert_eq!(stats.document()["tools"].as_array().unwrap().len(), TOOLS + 1);
    }
}
