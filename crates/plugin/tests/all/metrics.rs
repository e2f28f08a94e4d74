//! H15: what the calls of each plugin in each phase came to.

use crate::kit::{Scripted, arc, chain, exchange, no, termination};
use std::time::Duration;
use tokenforge_plugin::{Flow, Phase, Placement};

/// Takes 5 ms and does what the header `x-do` says.
fn obedient(name: &str) -> Scripted {
    Scripted::new(name, Phase::PreAuth | Phase::PostAuth, |context| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            match context.request_headers()["x-do"].to_str()? {
                "go on" => Ok(Flow::Continue),
                "stop" => Ok(no()),
                "fail" => Err("failed".into()),
                "panic" => panic!("as told"),
                _ => std::future::pending().await,
            }
        })
    })
}

async fn tell(chain: &tokenforge_plugin::Chain, phase: Phase, what: &'static str) {
    let mut exchange = exchange();
    exchange.request_mut().headers.insert("x-do", what.parse().unwrap());
    termination(chain.run(phase, &mut exchange).await);
}

#[tokio::test(start_paused = true)]
async fn h15_calls_are_counted_by_plugin_and_phase_and_by_what_came_of_them() {
    let chain = chain([obedient("obedient")]);
    for (times, what) in (1..).zip(["go on", "stop", "fail", "panic", "wait"]) {
        for _ in 0..times {
            tell(&chain, Phase::PreAuth, what).await;
        }
    }
    tell(&chain, Phase::PostAuth, "go on").await;

    let [pre, post] = chain.metrics().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((&*pre.plugin, pre.phase), ("obedient", Phase::PreAuth));
    assert_eq!(pre.calls, 1 + 2 + 3 + 4 + 5);
    assert_eq!((pre.terminations, pre.errors, pre.panics, pre.timeouts), (2, 3, 4, 5));
    let (quick, timed_out) = (Duration::from_millis(5) * 10, Duration::from_secs(1) * 5);
    assert_eq!(u128::from(pre.nanoseconds), (quick + timed_out).as_nanos());
    assert_eq!((post.phase, post.calls, post.nanoseconds), (Phase::PostAuth, 1, 5_000_000));
}

#[tokio::test(start_paused = true)]
async fn h15_plugins_of_one_name_are_counted_as_one() {
    let chain = chain([obedient("twin"), obedient("other"), obedient("twin")]);
    tell(&chain, Phase::PreAuth, "go on").await;
    let counted = chain.metrics().map(|m| (m.plugin.to_string(), m.phase, m.calls));
    assert!(counted.eq([
        ("other".to_owned(), Phase::PreAuth, 1),
        ("other".to_owned(), Phase::PostAuth, 0),
        ("twin".to_owned(), Phase::PreAuth, 2),
        ("twin".to_owned(), Phase::PostAuth, 0),
    ]));
}

#[tokio::test(start_paused = true)]
async fn h15_a_chain_that_takes_anothers_place_goes_on_counting() {
    let old = chain([obedient("stays"), obedient("goes")]);
    tell(&old, Phase::PreAuth, "go on").await;
    let new = old.replaced_by(vec![(arc(obedient("stays")), Placement::default())]);
    tell(&new, Phase::PreAuth, "go on").await;
    tell(&old, Phase::PreAuth, "go on").await; // a request that was under way
    let counted = new.metrics().map(|m| (m.plugin.to_string(), m.phase, m.calls));
    assert!(
        counted.eq([
            ("stays".to_owned(), Phase::PreAuth, 3),
            ("stays".to_owned(), Phase::PostAuth, 0),
        ])
    );
}
