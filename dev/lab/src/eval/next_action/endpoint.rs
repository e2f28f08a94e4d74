//! OpenAI's completions: how likely a text is behind a prompt, and what a model would write there.

use super::super::api::Api;
use super::super::gateway::EvalGateway;
use anyhow::{Context, bail};
use http::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use std::env;

const PATH: &str = "/v1/completions";
const NEEDED: &str = "an endpoint is needed that gives the log-probabilities of a prompt: OpenAI's completions with `echo` and `logprobs`, as vLLM and SGLang have them";
/// Long enough for a call; who writes more answers with text.
const MOST_WRITTEN: u32 = 160;

/// A model behind an endpoint.
pub(super) struct CompletionsEndpoint<'g> {
    gateway: &'g EvalGateway,
    model: &'g str,
    headers: HeaderMap,
}

impl<'g> CompletionsEndpoint<'g> {
    pub(super) fn new(gateway: &'g EvalGateway, model: &'g str) -> anyhow::Result<Self> {
        let key = env::var(Api::Openai.key_variable()).ok().filter(|key| !key.is_empty());
        let mut headers = Api::Openai.header_map(key.as_deref())?;
        headers.insert("x-forge-mode", HeaderValue::from_static("off"));
        Ok(CompletionsEndpoint { gateway, model, headers })
    }

    /// The mean log-likelihood of the tokens of a text behind a prompt, in nats.
    pub(super) async fn likelihood(&self, prompt: &str, text: &str) -> anyhow::Result<f64> {
        let all = format!("{prompt}{text}");
        let body = json!({
            "model": self.model, "prompt": all, "echo": true, "logprobs": 1, "max_tokens": 1, "temperature": 0
        });
        let reply = self.gateway.ask(PATH, self.headers.clone(), &body).await.context(NEEDED)?;
        let tokens =
            scored_tokens(&reply["choices"][0]["logprobs"], prompt, &all).context(NEEDED)?;
        if tokens.is_empty() {
            bail!("the endpoint gives no token of the action a probability");
        }
        Ok(tokens.iter().sum::<f64>() / tokens.len() as f64)
    }

    /// What it writes behind a prompt.
    pub(super) async fn next(&self, prompt: &str) -> anyhow::Result<String> {
        let body = json!({
            "model": self.model, "prompt": prompt, "max_tokens": MOST_WRITTEN, "temperature": 0,
            "stop": ["</tool_call>", "<|im_end|>"]
        });
        let reply = self.gateway.ask(PATH, self.headers.clone(), &body).await?;
        let text = reply["choices"][0]["text"].as_str();
        Ok(text.context("the endpoint's answer has no `choices[0].text`")?.to_owned())
    }
}

/// The log-probabilities of the tokens that begin behind a prompt and end with the text. One that begins before belongs to
/// the prompt, and what the model added is no part of the text.
fn scored_tokens(logprobs: &Value, prompt: &str, all: &str) -> anyhow::Result<Vec<f64>> {
    let tokens = logprobs["tokens"].as_array().context("the answer has no `logprobs.tokens`")?;
    let values = logprobs["token_logprobs"].as_array();
    let values = values.context("the answer has no `logprobs.token_logprobs`")?;
    let texts: Vec<&str> = tokens.iter().map(|token| token.as_str().unwrap_or_default()).collect();
    let joined = texts.concat();
    // Before the prompt may be a token that begins every text.
    let (from, to, places): (usize, usize, Vec<usize>) = match joined.find(all) {
        Some(at) => {
            (at + prompt.len(), at + all.len(), starts(texts.iter().map(|text| text.len())))
        }
        // Tokens of parts of a character are shown in other signs: there the endpoint must say where each begins.
        None => {
            let offsets = logprobs["text_offset"].as_array();
            let offsets = offsets
                .context("the answer is not the prompt, and has no `logprobs.text_offset`")?;
            let offset =
                |offset: &Value| offset.as_u64().and_then(|offset| usize::try_from(offset).ok());
            let places = offsets.iter().map(|at| offset(at).unwrap_or_default()).collect();
            (prompt.chars().count(), all.chars().count(), places)
        }
    };
    let scored = places.iter().zip(values).filter(|(start, _)| (from..to).contains(*start));
    Ok(scored.filter_map(|(_, value)| value.as_f64()).collect())
}

/// Where each piece begins.
fn starts(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let from = |at: &mut usize, length: usize| {
        let start = *at;
        *at += length;
        Some(start)
    };
    lengths.scan(0, from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f17_only_tokens_of_the_action_are_scored() {
        let reply = json!({
            "tokens": ["<s>", "What", " is", " it", "? ", "It", " is", ".", " And"],
            "token_logprobs": [null, -1.0, -1.0, -1.0, -1.0, -0.5, -0.25, -0.125, -9.0]
        });
        let found = scored_tokens(&reply, "What is it? ", "What is it? It is.").unwrap();
        assert_eq!(found, [-0.5, -0.25, -0.125]);
    }

    #[test]
    fn f17_where_tokens_are_parts_of_characters_their_offsets_count() {
        let reply = json!({
            "tokens": ["é", " ", "\\xf0\\x9f", "\\x99\\x82", "!"],
            "token_logprobs": [null, -1.0, -0.5, -0.25, -9.0],
            "text_offset": [0, 1, 2, 2, 3]
        });
        assert_eq!(scored_tokens(&reply, "é ", "é \u{1f642}").unwrap(), [-0.5, -0.25]);
    }

    #[test]
    fn f17_an_answer_without_log_probabilities_says_what_is_missing() {
        let error = scored_tokens(&json!(null), "a", "ab").unwrap_err();
        assert!(error.to_string().contains("logprobs.tokens"), "{error}");
        let reply = json!({"tokens": ["b"], "token_logprobs": [-1.0]});
        let error = scored_tokens(&reply, "a", "ab").unwrap_err();
        assert!(error.to_string().contains("text_offset"), "{error}");
    }
}
