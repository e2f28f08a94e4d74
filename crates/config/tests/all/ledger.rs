//! Whether and where savings are written down.

use crate::kit::{file, variables};
use std::path::Path;
use tokenforge_config::LedgerSettings;

#[test]
fn the_ledger_is_on_off_or_a_folder() {
    let ledger = |text| file(text).unwrap().ledger;
    assert_eq!(ledger(""), LedgerSettings::default());
    assert_eq!(ledger("ledger: on"), LedgerSettings::default());
    for off in ["ledger: off", "ledger: false"] {
        assert!(!ledger(off).enabled, "{off}");
    }
    assert!(!variables(&[("FORGE_LEDGER", "off")]).unwrap().ledger.enabled);
    let elsewhere = ledger("ledger: /var/lib/tokenforge/ledger");
    assert_eq!(elsewhere.path.as_deref(), Some(Path::new("/var/lib/tokenforge/ledger")));
}
