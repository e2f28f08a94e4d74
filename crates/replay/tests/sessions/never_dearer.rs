//! L11 on sessions made of recorded outputs, with pauses anywhere.

use crate::kit::{ReplayOptions, SessionLog, TurnText};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::OnceLock;
use tokenforge_engine::Mode;
use tokenforge_replay::ExpansionOffer;
use tokenforge_samples::Recorded;

/// Those that are no longer than most of what an agent reads.
fn outputs() -> &'static [Recorded] {
    static OUTPUTS: OnceLock<Vec<Recorded>> = OnceLock::new();
    OUTPUTS.get_or_init(|| {
        let all = tokenforge_samples::recorded().into_iter();
        all.filter(|output| output.text.len() < 8_000).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn l11_decision_33_no_session_is_dearer_wherever_it_pauses(
        turns in prop::collection::vec((any::<prop::sample::Index>(), 0_u64..9), 1..50),
    ) {
        let mut log = SessionLog::timed();
        for (output, minutes) in &turns {
            let output = output.get(outputs());
            let arguments: Value = serde_json::from_str(&output.arguments).unwrap_or_default();
            log.turn(&TurnText { tool: &output.tool, arguments, result: &output.text }, None);
            log.pause(*minutes);
        }
        log.say("Done.");
        let offers = [ExpansionOffer::WhenItPays, ExpansionOffer::ByShell];
        for (mode, expansion) in Mode::ALL.into_iter().flat_map(|mode| offers.map(|it| (mode, it))) {
            let account = log.replay(&ReplayOptions { mode, expansion, ..ReplayOptions::default() });
            // What it left out may be needed at once.
            let is_fetched = expansion == ExpansionOffer::ByShell && account.expansions.fetched > 0;
            prop_assert!(
                account.cost_saved() > -1e-9 || is_fetched,
                "{mode:?} {expansion:?}: {}",
                account.cost_saved()
            );
            if let Some(old) = account.old_results {
                prop_assert!(!old.is_dearer() || account.expansions.fetched > 0, "{mode:?}: {old:?}");
            }
            prop_assert_eq!(account.prefix_stability, 1.0);
        }
    }
}
