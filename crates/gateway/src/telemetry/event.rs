//! What became of one tool result, as a line of JSON. Fingerprints and figures only: no text of anybody's.

use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};
use tokenforge_conversation::report::{RequestReport, ResultReport};
use tokenforge_engine::tool::ToolKind;
use tokenforge_redact::Scanner;

/// The event of a result.
pub(super) fn result_event(
    now: SystemTime,
    report: &RequestReport,
    result: &ResultReport,
) -> Value {
    let figures = &result.figures;
    let hex = |fingerprint: u64| format!("{fingerprint:016x}");
    json!({
        "time": seconds(now),
        "dialect": report.dialect.map(|dialect| format!("{dialect:?}")),
        "model": report.model,
        "project": report.project,
        "client": report.client,
        "session": report.session_name(),
        "tool": figures.tool,
        "call_id": figures.call,
        "family": figures.family.clone().unwrap_or_else(|| format!("{:?}", ToolKind::canonical(&figures.tool)).to_lowercase()),
        "mode": report.mode,
        "strategies": figures.stages,
        "strategy": figures.strategy,
        "strategy_error": figures.strategy_error,
        "mapping_status": figures.verdict_name(),
        "verdict": figures.verdict_name(),
        "before_tokens": figures.before.tokens,
        "after_tokens": figures.after.tokens,
        "bytes_in": figures.before.bytes,
        "bytes_out": figures.after.bytes,
        "characters_in": figures.before.characters,
        "characters_out": figures.after.characters,
        "lines_in": figures.before.lines,
        "lines_out": figures.after.lines,
        "original_fingerprint": hex(figures.original_fingerprint),
        "compressed_fingerprint": hex(figures.compressed_fingerprint),
        "arguments_fingerprint": hex(figures.arguments_fingerprint),
        "redacted": !figures.redacted.is_empty(),
        "redacted_kinds": figures.redacted,
        "capped": figures.is_capped,
        "deduped": result.deduped,
        "sent_before": result.is_repeated,
        "memo_reused": result.memo_reused,
        "memo_changed": result.memo_changed,
        "dictionary_method": figures.dictionary,
        "changes": report.changes,
        "debug": report.debug.as_deref().map(redacted),
    })
}

/// What the caller says about itself, without secrets it may have put there.
fn redacted(debug: &Value) -> Value {
    let text = debug.to_string();
    match Scanner::builtin().redact(&text) {
        Some(redacted) => serde_json::from_str(&redacted.text)
            .unwrap_or_else(|_| Value::String("[REDACTED]".to_owned())),
        None => debug.clone(),
    }
}

/// Seconds since 1970, which every program can read.
fn seconds(now: SystemTime) -> f64 {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    (since.as_millis() as f64) / 1000.0
}
