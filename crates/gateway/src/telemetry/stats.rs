//! The figures as one document.

use super::counters::MetricCounters;
use super::tables::{DollarTotals, FigureTables};
use serde_json::{Map, Value, json};
use tokenforge_store::StoreStats;

/// All figures. What models asked for again is taken off what was saved.
pub(super) fn document(
    counters: &MetricCounters,
    tables: &FigureTables,
    store: Option<StoreStats>,
    has_ledger: bool,
) -> Value {
    let counted: Map<String, Value> = counters
        .all()
        .into_iter()
        .map(|(name, _, value)| (name.to_owned(), value.into()))
        .collect();
    let fresh = saved(counters.fresh_tokens_before.value(), counters.fresh_tokens_after.value());
    let repeated =
        saved(counters.repeated_tokens_before.value(), counters.repeated_tokens_after.value());
    let expanded = counters.expansion_tokens.value() as i64;
    json!({
        "tokens": {
            "counted_with": "the model's tokenizer where it is public, else o200k_base",
            "saved_fresh": fresh,
            "saved_repeated": repeated,
            "expanded": expanded,
            "saved_net": fresh + repeated - expanded,
        },
        "dollars": dollars(&tables.dollars),
        "counters": counted,
        "tools": tables.tools,
        "stages": tables.stages,
        "projects": tables.projects,
        "verdicts": tables.verdicts,
        "prompts_kept": tables.prompts_kept,
        "changes": tables.changes,
        "minutes": tables.minutes.last_hour(),
        "has_ledger": has_ledger,
        "store": store.map(|stats| {
            let total = stats.total();
            json!({"entries": total.entries, "bytes": total.bytes})
        }),
    })
}

/// Null where no price is known.
fn dollars(dollars: &DollarTotals) -> Value {
    let DollarTotals { requests, unpriced, saved, expanded, billed_requests, .. } = *dollars;
    let known = |dollars: f64| (requests > 0).then(|| rounded(dollars));
    let billed = |dollars: f64| (billed_requests > 0).then(|| rounded(dollars));
    json!({
        "saved": known(saved + expanded),
        "expanded": known(expanded),
        "saved_net": known(saved),
        "is_estimate": true,
        "requests": requests,
        "requests_without_price": unpriced,
        "requests_of_subscriptions": dollars.subscription,
        "bill": {
            "requests": billed_requests,
            "before": billed(dollars.billed + dollars.saved_of_bill),
            "after": billed(dollars.billed),
            "saved": billed(dollars.saved_of_bill),
        },
    })
}

fn saved(before: u64, after: u64) -> i64 {
    before as i64 - after as i64
}

fn rounded(dollars: f64) -> f64 {
    (dollars * 1e6).round() / 1e6
}
