//! Row 16: settings that are written anew under load: an empty file never opens the door, a good one costs no request.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench, conversation, messages};
use crate::row::{Faults, ProofRow, RowResult};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 16,
    what: "reload: an empty, truncated or comment-only file over settings with keys; good files under load",
    bar: "0 requests without a key let in, 0 with one refused (the drain is a test)",
    prove,
};

const ROUNDS: usize = 60;
const SETTINGS: &str =
    "keys:\n  alice: \"gate-key-alice\"\nadmin_token: \"admin-token-of-the-proof\"\n";

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mock = Mock::start();
    mock.careless();
    let home = GatewayHome::new()?;
    fs::write(home.settings(), SETTINGS)?;
    let gateway = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    let body = conversation("short").to_string();
    let ask = |key: Option<&str>| {
        let ask = Ask::post("/v1/messages", &body).header("anthropic-version", "2023-06-01");
        key.into_iter().fold(ask, |ask, key| ask.header("x-forge-key", key))
    };
    let is_over = AtomicBool::new(false);
    let (strangers, let_in) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (friends, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let asking = |ask: Ask, wanted: u16, all: &AtomicUsize, wrong: &AtomicUsize| {
        while !is_over.load(Ordering::Relaxed) {
            let status = gateway.send(&ask).status;
            all.fetch_add(1, Ordering::Relaxed);
            wrong.fetch_add(usize::from(status != wanted), Ordering::Relaxed);
        }
    };
    let written = std::thread::scope(|scope| {
        scope.spawn(|| asking(ask(None), 401, &strangers, &let_in));
        scope.spawn(|| asking(ask(Some("gate-key-alice")), 200, &friends, &refused));
        let written = rewrite(&gateway, &home);
        is_over.store(true, Ordering::Relaxed);
        written
    });
    let rounds = written?;
    let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
    faults.check(count(&let_in) == 0, || format!("{} let in without a key", count(&let_in)));
    faults.check(count(&refused) == 0, || format!("{} refused with a key", count(&refused)));
    let admin = gateway.send(&Ask::new("PATCH", "/_forge/api/config").body("{}")).status;
    faults.check(matches!(admin, 401 | 403), || format!("then a change without a token: {admin}"));
    let figure =
        format!("{} requests without a key, {} with one", count(&strangers), count(&friends));
    faults.into_result(format!("{rounds} files"), figure)
}

/// Writes files over the settings, bad and good ones in turn. How many.
fn rewrite(gateway: &GatewayProcess, home: &GatewayHome) -> anyhow::Result<usize> {
    let bad = ["", "# nothing\n", "\n\n", "---\n", "keys:\n", "{}", "keys: {}\n", &SETTINGS[..12]];
    for round in 0..ROUNDS {
        fs::write(home.settings(), bad[round % bad.len()])?;
        if round % 2 == 0 {
            gateway.signal("-HUP")?;
        }
        std::thread::sleep(Duration::from_millis(120));
        fs::write(home.settings(), format!("{SETTINGS}# {round}\n"))?;
        std::thread::sleep(Duration::from_millis(120));
    }
    // The last that is read is a good one.
    anyhow::ensure!(gateway.send(&messages(&conversation("short"))).status == 401, "it is open");
    Ok(2 * ROUNDS)
}
