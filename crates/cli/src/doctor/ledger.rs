//! Can savings be written down?

use super::finding::Finding;
use crate::ledger;
use tokenforge_config::Settings;
use tokenforge_ledger::Ledger;

const CHECK: &str = "ledger";

pub(super) fn check(settings: &Settings) -> Vec<Finding> {
    if !settings.ledger.enabled {
        let off = Finding::note(CHECK, "savings are not recorded");
        return vec![
            off.remedied_by("set `ledger: on` in tokenforge.yaml to see them in `tokenforge gain`"),
        ];
    }
    let remedy = "set `ledger` in tokenforge.yaml, or FORGE_DATA_DIR, to a folder you can write to";
    vec![match ledger::folder(&settings.ledger) {
        // Nothing is made only to look at it.
        Ok(folder) if !folder.exists() => Finding::ok(
            CHECK,
            format!("{} will be created with the first saving", folder.display()),
        ),
        Ok(folder) => match Ledger::open(&folder) {
            Ok(_) => Finding::ok(CHECK, format!("{} (`tokenforge gain`)", folder.display())),
            Err(error) => {
                Finding::broken(CHECK, format!("{}: {error}", folder.display())).remedied_by(remedy)
            }
        },
        Err(error) => Finding::broken(CHECK, format!("{error:#}")).remedied_by(remedy),
    }]
}
