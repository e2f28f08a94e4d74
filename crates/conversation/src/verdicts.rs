//! Verdicts as JSON, on their way to other languages.

use crate::compressor::CompressedRequest;
use serde_json::json;

/// What became of a request's results, as JSON: `{"results":[{"tool":…,"call":…,"verdict":…,…}],"offers_expansion":…}`.
#[must_use]
pub fn verdicts_json(made: &CompressedRequest) -> String {
    let results: Vec<_> = made
        .results
        .iter()
        .map(|result| {
            json!({
                "tool": result.tool,
                "call": result.call,
                "verdict": result.verdict,
                "stages": result.stages,
                "tokens_before": result.tokens_before,
                "tokens_after": result.tokens_after,
                "reference": result.reference.map(|reference| reference.to_string()),
            })
        })
        .collect();
    json!({ "results": results, "offers_expansion": made.offers_expansion }).to_string()
}
