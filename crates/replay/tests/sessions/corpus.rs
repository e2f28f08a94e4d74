//! L11 on every recorded session beside the project.

use std::path::Path;
use tokenforge_config::OldResults;
use tokenforge_engine::{Mode, Settings};
use tokenforge_ledger::ModelPrices;
use tokenforge_replay::{Corpus, ExpansionOffer, ReplayPlan};

#[test]
fn l11_decision_33_no_recorded_session_is_dearer_and_nothing_is_lost() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(corpus) = Corpus::open(&folder) else {
        println!("skipped: no corpus at {}", folder.display());
        return;
    };
    let prices = ModelPrices::default();
    let tool = Mode::ALL.into_iter().map(|mode| (mode, ExpansionOffer::WhenItPays));
    let shell = [Mode::Standard, Mode::Aggressive]
        .map(|mode| (mode, ExpansionOffer::WhenItPaysElseByShell));
    for (mode, expansion) in tool.chain(shell) {
        let plan = ReplayPlan {
            settings: Settings { mode, ..Settings::default() },
            counter: None,
            class: None,
            expansion,
            old_results: OldResults::WhenCold,
            prices: &|model| prices.of(model),
        };
        for set in corpus.sets().unwrap() {
            for (log, probes) in corpus.sessions(&set).unwrap() {
                let sessions = log.replay(&plan, probes, &|_| false, &|_| {}).unwrap().0;
                for session in sessions {
                    let (place, account) = (log.path().display(), &session.account);
                    let old = account.old_results.unwrap_or_default();
                    assert!(!session.is_dearer(), "{mode}: {place}: {}", account.cost_saved());
                    assert!(!old.is_dearer(), "{mode}: {place}: {old:?}");
                    assert_eq!(account.probes.unwrap_or_default().lost, 0, "{mode}: {place}");
                    assert_eq!(account.prefix_stability, 1.0, "{mode}: {place}");
                }
            }
        }
    }
}
