//! The ledger API: sums, sessions and their turns, and what models fetched back.
//!
//! | path | says |
//! |---|---|
//! | `/_forge/api/gain` | the document that `tokenforge gain --json` prints |
//! | `/_forge/api/history` | the same by everything at once, and over time |
//! | `/_forge/api/sessions` | the latest sessions |
//! | `/_forge/api/sessions/ID` | one of them, turn by turn |
//! | `/_forge/api/fetches` | what models fetched back |

use super::ledger_query::LedgerQuery;
use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::paths::{FETCHES, GAIN, HISTORY, SESSIONS, ledger_session};
use http::{Response, StatusCode};
use serde::Serialize;
use std::sync::Arc;
use tokenforge_ledger::{
    FetchList, LedgerHistory, LedgerReader, LedgerSummary, ModelPrices, SessionList, SessionTurns,
};
use tokenforge_proxy::blocking::{PATIENCE, run_blocking};
use tokenforge_proxy::body::Body;
use tokio::time::timeout;

pub(super) async fn answer(
    gateway: &Arc<Gateway>,
    path: &str,
    query: Option<&str>,
) -> Response<Body> {
    let told = match path {
        GAIN => gain(gateway, query).await,
        HISTORY => history(gateway, query).await,
        SESSIONS => sessions(gateway, query).await,
        FETCHES => fetches(gateway, query).await,
        _ => turns(gateway, ledger_session(path).unwrap_or_default()).await,
    };
    told.unwrap_or_else(|problem| problem.answer(None))
}

type LedgerAnswer = Result<Response<Body>, Problem>;

async fn gain(gateway: &Arc<Gateway>, query: Option<&str>) -> LedgerAnswer {
    let asked = LedgerQuery::read(query, &["by"])?;
    answer_from_ledger(gateway, asked.start(), move |reading, prices: &ModelPrices| {
        let summary = LedgerSummary::new(asked.by, prices).about(&asked.filter);
        summary.with_declarations().sum_all(reading)
    })
    .await
}

async fn history(gateway: &Arc<Gateway>, query: Option<&str>) -> LedgerAnswer {
    let asked = LedgerQuery::read(query, &["edges"])?;
    answer_from_ledger(gateway, asked.start(), move |reading, prices: &ModelPrices| {
        LedgerHistory::of(reading, &asked.filter, &asked.edges, prices)
    })
    .await
}

async fn sessions(gateway: &Arc<Gateway>, query: Option<&str>) -> LedgerAnswer {
    let asked = LedgerQuery::read(query, &["limit"])?;
    answer_from_ledger(gateway, asked.start(), move |reading, prices: &ModelPrices| {
        SessionList::of(reading, &asked.filter, prices, asked.most)
    })
    .await
}

async fn fetches(gateway: &Arc<Gateway>, query: Option<&str>) -> LedgerAnswer {
    let asked = LedgerQuery::read(query, &["limit"])?;
    answer_from_ledger(gateway, asked.start(), move |reading, _: &ModelPrices| {
        FetchList::of(reading, &asked.filter, asked.most)
    })
    .await
}

async fn turns(gateway: &Arc<Gateway>, id: &str) -> LedgerAnswer {
    let id = id.to_owned();
    let found = read_ledger(gateway, None, move |reading, prices: &ModelPrices| {
        SessionTurns::of(reading, &id, prices)
    });
    found
        .await?
        .map(json_answer)
        .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "the ledger has no such session"))
}

async fn answer_from_ledger<T: Serialize + Send + 'static>(
    gateway: &Arc<Gateway>,
    since: Option<u64>,
    ask: impl FnOnce(LedgerReader, &ModelPrices) -> T + Send + 'static,
) -> LedgerAnswer {
    let document = move |reading: LedgerReader, prices: &ModelPrices| Some(ask(reading, prices));
    read_ledger(gateway, since, document).await.map(|json| json_answer(json.unwrap_or_default()))
}

/// What the ledger says, as JSON, read on a thread that may block. One reading at a time, because it may take seconds
/// of a core, continues after its client has left, and uses the threads that requests for originals wait for.
async fn read_ledger<T: Serialize>(
    gateway: &Arc<Gateway>,
    since: Option<u64>,
    ask: impl FnOnce(LedgerReader, &ModelPrices) -> Option<T> + Send + 'static,
) -> Result<Option<String>, Problem> {
    let slow = || Problem::new(StatusCode::GATEWAY_TIMEOUT, "the ledger cannot be read in time");
    let turn = timeout(PATIENCE, gateway.operator.ledger_reads.clone().acquire_owned()).await;
    let turn = turn.ok().and_then(Result::ok).ok_or_else(slow)?;
    let gateway = gateway.clone();
    let reading = run_blocking(move || {
        let _turn = turn;
        gateway.telemetry.ledger(since, |reading, prices| {
            ask(reading, prices).and_then(|document| serde_json::to_string(&document).ok())
        })
    });
    let found = reading.await.ok_or_else(slow)?.ok_or_else(|| {
        let message = "there is no ledger; see `ledger` in the settings";
        Problem::new(StatusCode::NOT_FOUND, message)
    })?;
    found.map_err(|error| {
        let message = format!("the ledger cannot be read: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    })
}

fn json_answer(json: String) -> Response<Body> {
    answer::text(StatusCode::OK, "application/json", json)
}
