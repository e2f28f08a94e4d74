//! An agent: asks the model, does what it calls for, and asks again, until it answers.

use super::api::{Answered, Api, ApiCall};
use super::gateway::EvalGateway;
use super::scenario::Scenario;
use anyhow::bail;
use http::header::{HeaderMap, HeaderValue};
use serde_json::Value;
use tokenforge_engine::Mode;

/// After so many requests in one turn the model is not getting anywhere.
const MOST_REQUESTS: usize = 25;

/// An agent that plays scenarios through a gateway.
pub(super) struct Agent<'a> {
    gateway: &'a EvalGateway,
    api: Api,
    model: &'a str,
    headers: HeaderMap,
}

/// What came of a scenario.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) calls: Vec<ApiCall>,
    /// The last answer.
    pub(super) answer: String,
    pub(super) requests: usize,
    /// Input tokens as the provider told the agent, if it told them for every request.
    pub(super) input: Option<u64>,
}

impl<'a> Agent<'a> {
    pub(super) fn new(
        gateway: &'a EvalGateway,
        api: Api,
        model: &'a str,
        key: Option<&str>,
    ) -> anyhow::Result<Self> {
        let headers = api.header_map(key)?;
        Ok(Agent { gateway, api, model, headers })
    }

    /// Plays a scenario; without a mode the gateway leaves all as it is.
    pub(super) async fn play(
        &self,
        scenario: &Scenario,
        mode: Option<Mode>,
    ) -> anyhow::Result<Played> {
        let mut played = Played { input: Some(0), ..Played::default() };
        let mut messages = Vec::new();
        for turn in &scenario.turns {
            messages.push(self.api.user(&turn.user));
            self.turn(scenario, mode, &mut messages, &mut played).await?;
        }
        Ok(played)
    }

    async fn turn(
        &self,
        scenario: &Scenario,
        mode: Option<Mode>,
        messages: &mut Vec<Value>,
        played: &mut Played,
    ) -> anyhow::Result<()> {
        for _ in 0..MOST_REQUESTS {
            let question = self.api.question(scenario, self.model, messages);
            let mode = mode.map_or("off", Mode::name);
            let mut headers = self.headers.clone();
            headers.insert("x-forge-mode", HeaderValue::from_static(mode));
            let reply = self.gateway.ask(self.api.path(), headers, &question).await?;
            let reply = self.api.read(&reply)?;
            played.requests += 1;
            played.input = played.input.zip(reply.input).map(|(sum, input)| sum + input);
            messages.push(reply.message);
            if reply.calls.is_empty() {
                played.answer = reply.text;
                return Ok(());
            }
            let results: Vec<Answered<'_>> =
                reply.calls.iter().map(|call| answered(scenario, call)).collect();
            messages.extend(self.api.results(&results));
            played.calls.extend(reply.calls);
        }
        bail!("no answer after {MOST_REQUESTS} requests")
    }
}

fn answered<'c>(scenario: &Scenario, call: &'c ApiCall) -> Answered<'c> {
    match scenario.answer(&call.tool, &call.arguments.to_string()) {
        Some(canned) => {
            Answered { call, text: canned.text().to_owned(), is_error: canned.is_error }
        }
        None => {
            let text = format!("Error: {} has no answer to these arguments", call.tool);
            Answered { call, text, is_error: true }
        }
    }
}
