//! The strategy `api`: a service that shortens tool results.

use super::ask::{AskError, StrategyClient};
use http::Request;
use serde_json::json;
use tokenforge_conversation::strategy::StrategyCandidate;

pub(super) async fn ask(
    asker: &StrategyClient<'_>,
    candidate: &StrategyCandidate,
) -> Result<String, AskError> {
    let settings = &asker.input.rules.settings.tool_output;
    let api = &settings.api;
    let endpoint = api.endpoint.clone().ok_or(AskError::Unset("pipes.tool_output.api.endpoint"))?;
    let query = if api.query_agnostic { String::new() } else { asker.query(candidate) };
    let document = json!({
        "tool_output": candidate.text,
        "query": query,
        "tool_name": candidate.tool,
        "compression_model_name": api.model.as_deref().unwrap_or_default(),
        "target_compression_ratio": settings.target_ratio,
        "source": "tokenforge",
    });
    let mut request = Request::builder().uri(endpoint);
    if let Some(key) = &api.api_key {
        request = request
            .header("x-api-key", key.expose())
            .header("authorization", format!("Bearer {}", key.expose()));
    }
    let answer = asker.post(request, &document).await?;
    let text = answer["data"]["compressed_output"].as_str();
    text.filter(|_| answer["success"] == true).map(str::to_owned).ok_or(AskError::Shape)
}
