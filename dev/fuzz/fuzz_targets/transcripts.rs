//! Any bytes are read as a session or refused; whatever is told can be replayed, and the figures add up.
#![no_main]

use std::io::BufRead;
use tokenforge_engine::Settings;
use tokenforge_replay::read::transcript;
use tokenforge_replay::session::SessionReplay;
use tokenforge_replay::{ExpansionOffer, ReplayPlan};

libfuzzer_sys::fuzz_target!(|log: &[u8]| {
    let plan = ReplayPlan {
        settings: Settings::default(),
        counter: None,
        class: None,
        expansion: ExpansionOffer::FromStart,
        prices: &|_| None,
    };
    let mut replay = SessionReplay::new(&plan);
    let bytes = log.to_vec();
    // The reader wants to own what it reads.
    let open = || Ok(Box::new(std::io::Cursor::new(bytes.clone())) as Box<dyn BufRead>);
    let Ok(client) = transcript(&open, &mut |event| replay.take(event)) else { return };
    let (sessions, _) = replay.finish(client, "log");
    for session in sessions {
        let account = session.account;
        assert!(account.logged <= account.requests);
        assert_eq!(account.prefix_stability, 1.0);
        let by_tool: usize = account.tools.values().map(|tool| tool.tokens_out).sum();
        assert_eq!(by_tool, account.results.tokens_out);
        assert!(account.after.cost.total().is_finite());
    }
});
