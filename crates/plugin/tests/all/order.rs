//! In which order plugins are called, and what ends a phase.

use crate::kit::{Diary, Scripted, arc, chain, exchange, no, termination};
use http::HeaderValue;
use proptest::prelude::*;
use tokenforge_plugin::{Chain, Flow, Phase, Placement};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(future)
}

fn at(priority: i32) -> Placement {
    Placement { priority, ..Placement::default() }
}

#[tokio::test]
async fn h10_a_redaction_comes_before_the_encoding_whatever_the_priorities() {
    let rewrite = |name: &str, from: &'static str, to: &'static str| {
        let plugin = Scripted::new(name, Phase::PostUpstream, move |mut context| {
            Box::pin(async move {
                let body = String::from_utf8(context.response_body()?.to_vec())?;
                context.set_response_body(body.replace(from, to))?;
                Ok(Flow::Continue)
            })
        });
        plugin.needing(100)
    };
    for (first, last) in [(10, -10), (-10, 10), (0, 0)] {
        let encode = arc(rewrite("encode", "\"", "").encoding());
        let redact = arc(rewrite("redact", "\"secret\"", "\"[removed]\""));
        let chain = Chain::new(vec![(encode, at(last)), (redact, at(first))]);

        let mut exchange = exchange();
        exchange.set_response_body(r#"{"key":"secret"}"#.into());
        assert!(termination(chain.run(Phase::PostUpstream, &mut exchange).await).is_none());
        assert_eq!(exchange.take_response_body().unwrap(), "{key:[removed]}");
    }
}

proptest! {
    #[test]
    fn h10_plugins_are_called_by_priority_and_equals_as_they_were_given(
        priorities in prop::collection::vec(-3..3_i32, 0..12),
    ) {
        let diary = Diary::default();
        let named = |(index, priority): (usize, &i32)| (*priority, format!("{index} at {priority}"));
        let mut expected: Vec<_> = priorities.iter().enumerate().map(named).collect();
        let chain = Chain::new(
            expected
                .iter()
                .map(|(priority, name)| {
                    (arc(diary.writer(name, Phase::PreAuth, || Flow::Continue)), at(*priority))
                })
                .collect(),
        );
        expected.sort_by_key(|(priority, _)| *priority);

        let outcome = block_on(chain.run(Phase::PreAuth, &mut exchange()));
        prop_assert!(termination(outcome).is_none());
        prop_assert!(diary.lines().iter().eq(expected.iter().map(|(_, name)| name)));
    }
}

#[tokio::test]
async fn h11_after_a_termination_in_pre_auth_no_other_plugin_is_called() {
    let diary = Diary::default();
    let chain = chain([
        diary.writer("first", Phase::PreAuth, || Flow::Continue),
        diary.writer("door", Phase::PreAuth, no),
        diary.writer("later", Phase::PreAuth, || Flow::Continue),
    ]);
    let response = termination(chain.run(Phase::PreAuth, &mut exchange()).await).unwrap();
    assert_eq!(response.body(), "no");
    assert_eq!(diary.lines(), ["first", "door"]);
}

#[tokio::test]
async fn skip_rest_ends_the_phase_and_keeps_what_was_changed() {
    let diary = Diary::default();
    let skip = Scripted::new("skip", Phase::PreAuth, |mut context| {
        Box::pin(async move {
            context.request_headers_mut()?.insert("x-skip", "1".parse()?);
            Ok(Flow::SkipRest)
        })
    });
    let both = Phase::PreAuth | Phase::PostAuth;
    let chain = chain([skip, diary.writer("next", both, || Flow::Continue)]);
    let mut exchange = exchange();

    assert!(termination(chain.run(Phase::PreAuth, &mut exchange).await).is_none());
    assert!(diary.lines().is_empty());
    assert_eq!(exchange.request().headers["x-skip"], "1");

    assert!(termination(chain.run(Phase::PostAuth, &mut exchange).await).is_none());
    assert_eq!(diary.lines(), ["next"]);
}

#[tokio::test]
async fn a_plugin_is_called_in_the_phases_that_it_named() {
    let diary = Diary::default();
    let phases = Phase::PostAuth | Phase::OnError;
    let chain = chain([diary.writer("called", phases, || Flow::Continue)]);
    for &phase in Phase::ALL {
        let before = diary.lines().len();
        assert!(termination(chain.run(phase, &mut exchange()).await).is_none());
        assert_eq!(diary.lines().len() - before, usize::from(phases.contains(phase)), "{phase}");
        assert_eq!(chain.is_empty_for(phase), !phases.contains(phase), "{phase}");
    }
}

#[tokio::test]
async fn a_plugin_that_has_nothing_to_do_is_neither_called_nor_counted() {
    let diary = Diary::default();
    let asked = diary.writer("asked", Phase::PreAuth, || Flow::Continue);
    let asked = asked.concerned_if(|context| context.request_headers().contains_key("x-ask"));
    let chain = chain([asked]);

    let mut other = exchange();
    assert!(!chain.concerns_any(Phase::PreAuth, &mut other));
    assert!(termination(chain.run(Phase::PreAuth, &mut other).await).is_none());
    assert!(diary.lines().is_empty());
    assert_eq!(chain.metrics().map(|metrics| metrics.calls).sum::<u64>(), 0);

    let mut asking = exchange();
    asking.request_mut().headers.insert("x-ask", "1".parse().unwrap());
    assert!(chain.concerns_any(Phase::PreAuth, &mut asking));
    assert!(!chain.concerns_any(Phase::PostAuth, &mut asking), "it is for another phase");
    assert!(termination(chain.run(Phase::PreAuth, &mut asking).await).is_none());
    assert_eq!(diary.lines(), ["asked"]);
}

#[tokio::test]
async fn h9_a_plugin_that_panics_when_it_is_asked_is_called() {
    let diary = Diary::default();
    let plugin = diary.writer("called", Phase::PreAuth, || Flow::Continue);
    let chain = chain([plugin.concerned_if(|_| panic!("when asked"))]);
    assert!(termination(chain.run(Phase::PreAuth, &mut exchange()).await).is_none());
    assert_eq!(diary.lines(), ["called"]);
}

#[test]
fn what_an_answer_varies_by_is_said_by_every_plugin_that_may_change_it() {
    let diary = Diary::default();
    let writer = |name: &str, phase| diary.writer(name, phase, || Flow::Continue);
    let chain = chain([
        writer("never called", Phase::PostUpstream)
            .concerned_if(|_| false)
            .varying_by(|_| Some(HeaderValue::from_static("Accept"))),
        writer("of some answers", Phase::PostUpstream).varying_by(|context| {
            let headers = context.response_headers().ok()?;
            headers.contains_key("x-none").then(|| HeaderValue::from_static("X-None"))
        }),
        writer("panics", Phase::PostUpstream).varying_by(|_| panic!("when asked")),
        writer("sees no answer", Phase::PreAuth)
            .varying_by(|_| Some(HeaderValue::from_static("X-Never"))),
    ]);
    assert_eq!(chain.varies_by(&mut exchange()), ["Accept"]);
    assert!(diary.lines().is_empty());
}

#[test]
fn a_run_may_move_between_threads() {
    fn moves<T: Send>(_: T) {}
    moves(Chain::default().run(Phase::PreAuth, &mut exchange()));
}
