//! H14: what a plugin sees in each phase.

use crate::kit::{Scripted, chain, exchange, termination};
use http::StatusCode;
use std::sync::{Arc, Mutex};
use tokenforge_plugin::{BodyNeed, Context, Flow, Phase, Phases, ToolId, Unavailable};

/// What a plugin that asks for bodies of up to `up_to` bytes gets for its question in a phase.
async fn asked<T: Send + 'static>(
    phase: Phase,
    up_to: Option<usize>,
    question: fn(&mut Context<'_>) -> T,
) -> T {
    let answer = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&answer);
    let mut plugin = Scripted::new("asking", phase, move |mut context| {
        *kept.lock().unwrap() = Some(question(&mut context));
        Box::pin(async { Ok(Flow::Continue) })
    });
    if let Some(up_to) = up_to {
        plugin = plugin.needing(up_to);
    }
    assert!(termination(chain([plugin]).run(phase, &mut exchange()).await).is_none());
    let answer = answer.lock().unwrap().take();
    answer.unwrap()
}

/// In which phases the question is answered.
async fn answered_in(question: fn(&mut Context<'_>) -> Result<(), Unavailable>) -> Phases {
    let mut phases = Phases::NONE;
    for &phase in Phase::ALL {
        match asked(phase, Some(100), question).await {
            Ok(()) => phases = phases | phase,
            Err(refused) => {
                let expected = format!("not available in phase {phase}");
                assert!(refused.to_string().ends_with(&expected), "{refused}");
            }
        }
    }
    phases
}

#[tokio::test]
async fn h14_the_request_body_is_there_in_pre_upstream_only() {
    let only = Phases::from(Phase::PreUpstream);
    assert_eq!(answered_in(|context| context.request_body().map(drop)).await, only);
    assert_eq!(answered_in(|context| context.set_request_body("new")).await, only);
}

#[tokio::test]
async fn h14_the_response_is_there_in_post_upstream_and_on_error_only() {
    let only = Phase::PostUpstream | Phase::OnError;
    assert_eq!(answered_in(|context| context.response_body().map(drop)).await, only);
    assert_eq!(answered_in(|context| context.set_response_body("new")).await, only);
    assert_eq!(answered_in(|context| context.status().map(drop)).await, only);
    assert_eq!(answered_in(|context| context.set_status(StatusCode::GONE)).await, only);
    assert_eq!(answered_in(|context| context.response_headers().map(drop)).await, only);
    assert_eq!(answered_in(|context| context.response_headers_mut().map(drop)).await, only);
}

#[tokio::test]
async fn h14_arguments_are_there_before_a_tool_call_and_its_result_after_it() {
    let only = Phases::from(Phase::ToolCall);
    assert_eq!(answered_in(|context| context.tool_arguments().map(drop)).await, only);
    assert_eq!(answered_in(|context| context.set_tool_arguments("{}")).await, only);
    let only = Phases::from(Phase::ToolResult);
    assert_eq!(answered_in(|context| context.tool_result().map(drop)).await, only);
    assert_eq!(answered_in(|context| context.set_tool_result("{}")).await, only);
    for phase in [Phase::ToolCall, Phase::ToolResult] {
        let tool = asked(phase, None, |context| context.tool().cloned()).await;
        assert_eq!(tool, Some(ToolId::new("files", "read")));
    }
}

#[tokio::test]
async fn a_tool_call_knows_its_request_and_not_its_siblings() {
    let plugin = || {
        Scripted::new("counting", Phase::PostAuth | Phase::ToolCall, |mut context| {
            Box::pin(async move {
                let calls = context.extensions().get::<u32>().copied().unwrap_or_default();
                context.extensions_mut().insert(calls + 1);
                Ok(Flow::Continue)
            })
        })
    };
    let chain = chain([plugin()]);
    let mut request = exchange();
    request.tenant = Some("acme".into());
    assert!(termination(chain.run(Phase::PostAuth, &mut request).await).is_none());
    for name in ["one", "two"] {
        let mut call = request.of_tool(ToolId::new("files", name));
        assert!(termination(chain.run(Phase::ToolCall, &mut call).await).is_none());
        assert_eq!(call.extensions().get::<u32>(), Some(&2), "{name}");
        assert_eq!(call.request().headers["x-from"], "client");
        assert_eq!(call.tenant.as_deref(), Some("acme"));
    }
    assert_eq!(request.extensions().get::<u32>(), Some(&1));
}

#[tokio::test]
async fn h14_request_headers_change_only_before_the_request_goes_upstream() {
    let before = Phase::PreAuth | Phase::PostAuth | Phase::PreUpstream;
    assert_eq!(answered_in(|context| context.request_headers_mut().map(drop)).await, before);
    for &phase in Phase::ALL {
        assert_eq!(asked(phase, None, |c| c.request_headers()["x-from"].clone()).await, "client");
    }
}

#[tokio::test]
async fn a_body_is_shown_to_who_declared_a_need_for_its_size() {
    let read = |up_to| asked(Phase::PreUpstream, up_to, |c| c.request_body().map(|b| b.to_vec()));
    assert_eq!(read(Some("question".len())).await.unwrap(), b"question");
    let small = read(Some(7)).await.unwrap_err();
    assert!(matches!(small, Unavailable::NotBuffered { limit: 7, .. }), "{small}");
    let nothing = read(None).await.unwrap_err();
    assert!(matches!(nothing, Unavailable::Undeclared { .. }), "{nothing}");
    let replace = asked(Phase::PreUpstream, Some(7), |c| c.set_request_body("new")).await;
    assert_eq!(replace, Err(small));
}

#[tokio::test]
async fn h16_a_body_that_was_not_buffered_streams_by_and_the_plugin_is_told() {
    let plugin = Scripted::new("asking", Phase::PostUpstream, |context| {
        Box::pin(async move {
            context.response_body()?;
            Ok(Flow::Continue)
        })
    });
    let chain = chain([plugin.needing(100)]);
    let mut exchange = exchange();
    exchange.take_response_body();
    assert!(termination(chain.run(Phase::PostUpstream, &mut exchange).await).is_none());
    assert!(exchange.take_response_body().is_none());
    let failure = exchange.take_failures().remove(0).to_string();
    assert!(failure.contains("up to 100 bytes"), "{failure}");
}

#[tokio::test]
async fn a_response_that_was_never_set_is_missing() {
    let plugin = Scripted::new("asking", Phase::OnError, |context| {
        Box::pin(async move {
            context.status()?;
            Ok(Flow::Continue)
        })
    });
    let mut exchange = exchange();
    exchange.take_response();
    assert!(termination(chain([plugin]).run(Phase::OnError, &mut exchange).await).is_none());
    let failure = exchange.take_failures().remove(0).to_string();
    assert!(failure.contains("there is none"), "{failure}");
}

#[test]
fn the_need_of_a_phase_is_the_greatest_of_its_plugins_and_only_of_bodies_it_shows() {
    let plugin = |up_to| {
        let phases = Phase::PreAuth | Phase::PreUpstream;
        Scripted::new("needing", phases, |_| Box::pin(async { Ok(Flow::Continue) })).needing(up_to)
    };
    let chain = chain([plugin(10), plugin(300), plugin(20)]);
    assert_eq!(chain.body_need(Phase::PreUpstream), BodyNeed::Buffered { up_to: 300 });
    assert_eq!(chain.body_need(Phase::PreAuth), BodyNeed::None);
    assert_eq!(chain.body_need(Phase::PostUpstream), BodyNeed::None);
}

#[test]
fn s7_a_body_is_buffered_for_the_requests_in_which_a_plugin_wants_it() {
    let plugin = |up_to| {
        let phase = Phase::PostUpstream;
        Scripted::new("needing", phase, |_| Box::pin(async { Ok(Flow::Continue) })).needing(up_to)
    };
    let asked = |context: &Context<'_>| context.request_headers().contains_key("x-asks");
    let chain = chain([
        plugin(300).only_if(asked),
        plugin(20).only_if(|context| context.response_body().is_ok()),
        plugin(10).only_if(|_| panic!("a plugin that cannot decide")),
    ]);
    let mut exchange = exchange();
    let need = |up_to| BodyNeed::Buffered { up_to };
    assert_eq!(chain.body_need_of(Phase::PostUpstream, &mut exchange), need(10));
    exchange.request_mut().headers.insert("x-asks", "1".parse().unwrap());
    assert_eq!(chain.body_need_of(Phase::PostUpstream, &mut exchange), need(300));
    assert_eq!(chain.body_need_of(Phase::PreUpstream, &mut exchange), BodyNeed::None);
}

#[tokio::test]
async fn plugins_of_one_request_share_typed_values_and_know_whose_it_is() {
    let first = Scripted::new("first", Phase::PreAuth, |mut context| {
        Box::pin(async move {
            context.extensions_mut().insert(42_u32);
            Ok(Flow::Continue)
        })
    });
    let second = Scripted::new("second", Phase::PostAuth, |mut context| {
        Box::pin(async move {
            let number = context.extensions().get::<u32>().copied();
            let seen = format!(
                "{:?} {:?} {:?} {} {} {}",
                number,
                context.tenant(),
                context.project(),
                context.remote(),
                context.method(),
                context.uri(),
            );
            context.request_headers_mut()?.insert("x-seen", seen.parse()?);
            Ok(Flow::Continue)
        })
    });
    let chain = chain([first, second]);
    let mut exchange = exchange();
    exchange.project = Some("forge".into());
    assert!(termination(chain.run(Phase::PreAuth, &mut exchange).await).is_none());
    exchange.tenant = Some("acme".into());
    assert!(termination(chain.run(Phase::PostAuth, &mut exchange).await).is_none());
    assert_eq!(
        exchange.request().headers["x-seen"],
        r#"Some(42) Some("acme") Some("forge") 127.0.0.1:50000 POST /v1/messages"#
    );
}
