//! H9: a plugin that panics, fails or takes too long.

use crate::kit::{Call, Diary, Scripted, arc, chain_of, exchange, no, termination};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use proptest::prelude::*;
use std::time::Duration;
use tokenforge_plugin::{
    Chain, Context, ErrorPolicy, Exchange, FailureCause, Flow, Phase, Phases, Placement,
    PluginMetrics,
};

/// The ways in which a call goes wrong, and how each is counted.
type Fault = (&'static str, for<'a> fn(Context<'a>) -> Call<'a>, fn(&PluginMetrics) -> u64);

const FAULTS: &[Fault] = &[
    ("error", |c| broken(c, || Box::pin(async { Err("broken".into()) })), |m| m.errors),
    ("panic at once", |_| panic!("at once"), |m| m.panics),
    ("panic", |c| broken(c, || Box::pin(async { panic!("in a poll") })), |m| m.panics),
    (
        "panic after a wait",
        |c| {
            broken(c, || {
                Box::pin(async {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    panic!("in a later poll")
                })
            })
        },
        |m| m.panics,
    ),
    ("no JSON for a tool", no_json, |m| m.errors),
    ("timeout", |c| broken(c, || Box::pin(std::future::pending())), |m| m.timeouts),
    (
        "timeout, and a panic when dropped",
        |c| {
            broken(c, || {
                Box::pin(async {
                    let _bomb = Bomb;
                    std::future::pending().await
                })
            })
        },
        |m| m.timeouts,
    ),
];

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("when dropped");
    }
}

/// Changes all that the phase lets it change, and then goes wrong.
fn broken(mut context: Context<'_>, then: fn() -> Call<'static>) -> Call<'_> {
    Box::pin(async move {
        context.extensions_mut().insert("half made");
        if let Ok(headers) = context.request_headers_mut() {
            headers.insert("x-half", "made".parse()?);
        }
        if context.request_body().is_ok() {
            context.set_request_body("half made")?;
        }
        if context.tool_arguments().is_ok() {
            context.set_tool_arguments("{}")?;
        }
        if context.tool_result().is_ok() {
            context.set_tool_result("{}")?;
        }
        if context.status().is_ok() {
            context.set_status(StatusCode::IM_A_TEAPOT)?;
            context.response_headers_mut()?.insert("x-half", "made".parse()?);
            context.set_response_body("half made")?;
        }
        then().await
    })
}

/// Leaves a tool what is no JSON; elsewhere it fails.
fn no_json(mut context: Context<'_>) -> Call<'_> {
    Box::pin(async move {
        match context.phase() {
            Phase::ToolCall => context.set_tool_arguments("{\"path\":")?,
            Phase::ToolResult => context.set_tool_result("{} {}")?,
            _ => return Err("there is no tool".into()),
        }
        Ok(Flow::Continue)
    })
}

fn everywhere() -> Phases {
    Phase::ALL.iter().fold(Phases::NONE, |all, phase| all | *phase)
}

fn faulty((name, script, _): &Fault) -> Scripted {
    Scripted::new(*name, everywhere(), *script).needing(1000)
}

type Bodies = [Bytes; 4];

/// Everything that a plugin could have changed.
fn contents(mut exchange: Exchange) -> (HeaderMap, Bodies, StatusCode, HeaderMap, bool) {
    let response = exchange.take_response().unwrap();
    let bodies = [
        exchange.take_request_body(),
        exchange.take_response_body(),
        exchange.take_tool_arguments(),
        exchange.take_tool_result(),
    ];
    (
        exchange.request().headers.clone(),
        bodies.map(Option::unwrap),
        response.status,
        response.headers,
        exchange.extensions().get::<&str>().is_some(),
    )
}

fn counted(chain: &Chain, phase: Phase) -> PluginMetrics {
    chain.metrics().find(|metrics| metrics.phase == phase).unwrap()
}

#[tokio::test(start_paused = true)]
async fn h9_open_goes_on_with_what_was_there_before() {
    for fault in FAULTS {
        let chain = chain_of(arc(faulty(fault)), ErrorPolicy::Open);
        for &phase in Phase::ALL {
            let mut exchange = exchange();
            assert!(termination(chain.run(phase, &mut exchange).await).is_none());
            assert_eq!(exchange.take_failures().len(), 1, "{} in {phase}", fault.0);
            assert!(
                contents(exchange) == contents(crate::kit::exchange()),
                "{} in {phase}",
                fault.0
            );
            assert_eq!((fault.2)(&counted(&chain, phase)), 1, "{} in {phase}", fault.0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn h9_closed_ends_the_request_with_a_502_that_names_the_plugin() {
    for fault in FAULTS {
        let chain = chain_of(arc(faulty(fault)), ErrorPolicy::Closed);
        for phase in Phase::ALL.iter().copied().filter(|phase| *phase != Phase::OnError) {
            let response = termination(chain.run(phase, &mut exchange()).await).unwrap();
            assert_eq!(response.status(), StatusCode::BAD_GATEWAY);
            assert_eq!(response.headers()["content-type"], "application/json");
            let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
            let message = body["error"]["message"].as_str().unwrap();
            assert!(message.contains(fault.0) && message.contains(phase.name()), "{message}");
            assert_eq!((fault.2)(&counted(&chain, phase)), 1, "{} in {phase}", fault.0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn h9_closed_keeps_the_response_of_a_request_that_failed_already() {
    for fault in FAULTS {
        let chain = chain_of(arc(faulty(fault)), ErrorPolicy::Closed);
        let mut exchange = exchange();
        assert!(termination(chain.run(Phase::OnError, &mut exchange).await).is_none());
        assert!(contents(exchange) == contents(crate::kit::exchange()), "{}", fault.0);
    }
}

#[tokio::test(start_paused = true)]
async fn h9_after_a_closed_failure_no_other_plugin_is_called() {
    let diary = Diary::default();
    let closed = Placement { on_error: ErrorPolicy::Closed, ..Placement::default() };
    let next = diary.writer("next", everywhere(), || Flow::Continue);
    let chain =
        Chain::new(vec![(arc(faulty(&FAULTS[0])), closed), (arc(next), Placement::default())]);
    assert!(termination(chain.run(Phase::PreAuth, &mut exchange()).await).is_some());
    assert!(diary.lines().is_empty());
}

#[tokio::test(start_paused = true)]
async fn h9_each_call_has_the_time_of_its_own_placement() {
    let slow = || {
        arc(Scripted::new("slow", Phase::PreAuth, |_| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(2)).await;
                Ok(no())
            })
        }))
    };
    let within =
        |seconds| Placement { timeout: Duration::from_secs(seconds), ..Placement::default() };
    let run = async |seconds| {
        let chain = Chain::new(vec![(slow(), within(seconds))]);
        termination(chain.run(Phase::PreAuth, &mut exchange()).await).is_some()
    };
    assert!(!run(1).await);
    assert!(run(3).await);
}

#[tokio::test(start_paused = true)]
async fn failures_say_who_when_and_why() {
    let chain =
        Chain::new(FAULTS.iter().map(|fault| (arc(faulty(fault)), Placement::default())).collect());
    let mut exchange = exchange();
    assert!(termination(chain.run(Phase::PostAuth, &mut exchange).await).is_none());
    let failures = exchange.take_failures();
    assert_eq!(
        failures.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "plugin `error` in phase post_auth: broken",
            "plugin `panic at once` in phase post_auth: it panicked",
            "plugin `panic` in phase post_auth: it panicked",
            "plugin `panic after a wait` in phase post_auth: it panicked",
            "plugin `no JSON for a tool` in phase post_auth: there is no tool",
            "plugin `timeout` in phase post_auth: it took longer than 1s",
            "plugin `timeout, and a panic when dropped` in phase post_auth: it took longer than 1s",
        ]
    );
    assert!(matches!(failures[0].cause, FailureCause::Error(_)));
    assert!(exchange.take_failures().is_empty());
}

#[tokio::test]
async fn a_tools_arguments_and_result_stay_json() {
    let plugin = Scripted::new("sloppy", Phase::ToolCall | Phase::ToolResult, no_json);
    let chain = chain_of(arc(plugin.needing(1000)), ErrorPolicy::Open);
    for (phase, what) in [(Phase::ToolCall, "arguments"), (Phase::ToolResult, "result")] {
        let mut exchange = exchange();
        assert!(termination(chain.run(phase, &mut exchange).await).is_none());
        let failure = exchange.take_failures().remove(0).to_string();
        assert!(failure.ends_with(&format!("it left no JSON as the tool's {what}")), "{failure}");
    }
}

/// Adds its number to a header, to the body and to the extensions.
fn adding(number: usize) -> Scripted {
    Scripted::new("adding", Phase::PreUpstream, move |context| Box::pin(add(context, number)))
        .needing(10_000)
}

/// Does the same, and fails.
fn adding_in_vain(number: usize) -> Scripted {
    Scripted::new("in vain", Phase::PreUpstream, move |context| {
        Box::pin(async move {
            add(context, number).await?;
            Err("in vain".into())
        })
    })
    .needing(10_000)
}

async fn add(mut context: Context<'_>, number: usize) -> Result<Flow, tokenforge_plugin::Error> {
    let body = [context.request_body()?, number.to_string().as_bytes()].concat();
    context.set_request_body(body)?;
    context.request_headers_mut()?.append("x-number", number.into());
    let mut numbers = context.extensions().get::<Vec<usize>>().cloned().unwrap_or_default();
    numbers.push(number);
    context.extensions_mut().insert(numbers);
    Ok(Flow::Continue)
}

proptest! {
    #[test]
    fn h9_a_chain_with_failing_plugins_does_what_it_does_without_them(
        fails in prop::collection::vec(any::<bool>(), 0..10),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let after = |plugins: Vec<Scripted>| {
            let mut exchange = exchange();
            let outcome = runtime.block_on(crate::kit::chain(plugins).run(Phase::PreUpstream, &mut exchange));
            assert!(termination(outcome).is_none());
            let numbers = exchange.extensions().get::<Vec<usize>>().cloned();
            (exchange.request().headers.clone(), exchange.take_request_body(), numbers)
        };
        let numbered = || fails.iter().copied().enumerate();
        let all = numbered().map(|(n, fails)| if fails { adding_in_vain(n) } else { adding(n) });
        let good = numbered().filter(|(_, fails)| !fails).map(|(n, _)| adding(n));
        prop_assert_eq!(after(all.collect()), after(good.collect()));
    }
}
