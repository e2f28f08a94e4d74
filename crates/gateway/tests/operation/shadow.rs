//! Shadow traffic, through real sockets: a model that reacts to compression is noticed, one that does not is left alone.

use crate::kit::{
    Ask, PATIENCE, World, conversation, forwarded, messages, rows, streaming, test_run, world_with,
};
use std::path::Path;
use std::time::Instant;
use tokenforge_config::{GatewayKey, Secret, Settings};
use tokenforge_gateway::Gateway;
use tokenforge_ledger::{EntryFilter, GroupBy, Ledger, LedgerSummary, ModelPrices, SessionList};
use tokenforge_mock::{Recorded, Reply};
use tokenforge_shadow::{HoldKind, ShadowFile, ShadowReport, ShadowState};

/// Every request is sampled, and money is no object.
fn on(settings: &mut Settings, folder: &Path) {
    settings.ledger.path = Some(folder.to_owned());
    settings.shadow.share = 1.0;
    settings.shadow.budget_usd = 1_000.0;
}

/// Holds are in force, and no request is sampled.
fn following(folder: &Path) -> World {
    world_with(|settings| {
        on(settings, folder);
        settings.shadow.share = 1e-12;
    })
}

fn sampling(folder: &Path) -> World {
    world_with(|settings| on(settings, folder))
}

/// The state, once it is like this.
fn state(folder: &Path, is_meant: impl Fn(&ShadowState) -> bool) -> ShadowState {
    let started = Instant::now();
    let file = ShadowFile::in_folder(folder);
    loop {
        let state = file.read().unwrap();
        if let Some(state) = state.clone().filter(&is_meant) {
            return state;
        }
        assert!(started.elapsed() < PATIENCE, "{state:?}");
        std::thread::yield_now();
    }
}

/// How many sampled requests were dealt with.
fn done(state: &ShadowState) -> u64 {
    let epochs = state.past.iter().chain([&state.epoch]);
    let samples: u64 = epochs.map(|epoch| epoch.all.samples).sum();
    samples + state.undecided.values().sum::<u64>()
}

/// Sends a request, and waits until it was dealt with in the shadow as the `count`th.
fn sample(world: &World, folder: &Path, count: u64, text: &str) -> ShadowState {
    assert_eq!(world.send(messages(&conversation(text))).status, 200);
    state(folder, |state| done(state) == count)
}

/// A test run that is another each time: parts of it are left out.
fn other_run(n: u64) -> String {
    format!("{}run {n} took {n}.5 s\n", test_run())
}

/// A list that is another each time: nothing of it is left out.
fn other_rows(n: u64) -> String {
    rows().replace("open", &format!("open{n}"))
}

fn is_shortened(request: &Recorded) -> bool {
    request.json()["messages"][2].to_string().contains("<<<SHADOW:shadow_")
}

/// A model that does something else once in eight times, whatever it is asked. Which times that are has no order: every
/// eighth would always fall on the same of the three requests.
fn noisy() -> impl Fn(&Recorded) -> Reply + Send + Sync {
    let asked = std::sync::atomic::AtomicU64::new(0);
    move |_| {
        let turn = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        // SplitMix64.
        let mixed = (turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let command = if (mixed ^ (mixed >> 31)) % 8 == 5 { "git status" } else { "cargo build" };
        Reply::calling("Bash", serde_json::json!({"command": command}))
    }
}

#[test]
fn v12_a_model_that_reacts_to_what_is_left_out_is_noticed_and_the_stage_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = sampling(folder);
    let steady = noisy();
    world.mock.always(move |request| {
        if is_shortened(request) {
            Reply::calling("Bash", serde_json::json!({"command": "ls -la"}))
        } else {
            steady(request)
        }
    });
    let mut count = 0;
    let held = loop {
        count += 2;
        sample(&world, folder, count - 1, &other_rows(count));
        let state = sample(&world, folder, count, &other_run(count));
        if !state.holds.is_empty() {
            break state.holds;
        }
        assert!(count < 200, "nothing is held: {state:?}");
    };
    assert!(
        held.iter().any(|hold| hold.kind == HoldKind::Stage && hold.name == "family"),
        "{held:?}"
    );
    assert!(
        held.iter().all(|hold| hold.kind == HoldKind::Stage && hold.name != "json"),
        "{held:?}"
    );

    // The state is written down before it is used, so that one more request may go as before.
    world.send(messages(&conversation(&other_run(1_000))));
    world.send(messages(&conversation(&other_run(1_001))));
    let requests = world.mock.requests();
    let is_about = |request: &&Recorded| request.json().to_string().contains("run 1001 took");
    assert!(requests.iter().filter(is_about).count() > 0);
    assert!(requests.iter().filter(is_about).all(|request| !is_shortened(request)));
    // So it is after a restart.
    let again = following(folder);
    again.send(messages(&conversation(&other_run(1_001))));
    let text = forwarded(&again.mock);
    assert!(!text.contains("<<<SHADOW:") && text.contains("case_number_300"), "{text}");
    again.send(messages(&conversation(&other_rows(1_001))));
    assert!(forwarded(&again.mock).len() < other_rows(1_001).len() / 2);

    // What `tokenforge shadow release` does. The request that finds it out still goes as before.
    ShadowFile::in_folder(folder).update(9, |state| state.release(Some("family"), 9)).unwrap();
    again.send(messages(&conversation(&other_run(1_002))));
    again.send(messages(&conversation(&other_run(1_003))));
    assert!(forwarded(&again.mock).contains("<<<SHADOW:"), "{}", forwarded(&again.mock));
}

#[test]
fn v12_a_model_that_does_not_react_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = sampling(folder);
    world.mock.always(noisy());
    for count in 1..=30 {
        sample(&world, folder, count, &other_run(count));
    }
    let state = state(folder, |_| true);
    assert_eq!(state.holds, []);
    let report = ShadowReport::of(&state, 0);
    let action = &report.all[0];
    assert_eq!((action.samples, state.undecided.len()), (30, 0));
    assert!(action.noise > 0.0 && action.interval.contains(0.0), "{action:?}");
    let named = |kind: &str| report.by[kind].iter().map(|row| &*row.name).collect::<Vec<_>>();
    assert_eq!((named("mode"), named("tool")), (vec!["standard"], vec!["Bash"]));
    assert!(named("stage").contains(&"family"), "{report:?}");
}

#[test]
fn v12_a_held_mode_falls_back_to_what_is_lossless_and_goes_on_removing_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = ShadowFile::in_folder(folder.path());
    let hold = tokenforge_shadow::ShadowHold {
        kind: HoldKind::Mode,
        name: "standard".to_owned(),
        since: 0,
        bound: 0.01,
        tenant: None,
        counts: tokenforge_shadow::PairedCounts::default(),
    };
    file.update(0, |state| state.holds.push(hold)).unwrap();
    let world = following(folder.path());
    let secret = ["ghp_", "k7Rq2Xv9Lm4Tn8Wb1Zc6Yd3Hf5Jg0Ps2Qa7U"].concat();
    world.send(messages(&conversation(&format!("{}token: {secret}\n", test_run()))));
    let text = forwarded(&world.mock);
    assert!(!text.contains("<<<SHADOW:") && !text.contains(&secret), "{text}");
    let tools = world.mock.last().json()["tools"].to_string();
    assert!(!tools.contains("expand_context"), "{tools}");
    world.send(messages(&conversation(&rows())));
    assert!(forwarded(&world.mock).len() < rows().len() / 2);
}

/// A gateway with two keys.
fn of_two_tenants(settings: &mut Settings, folder: &Path) {
    on(settings, folder);
    settings.keys = ["alice", "mallory"]
        .map(|name| GatewayKey {
            name: name.to_owned(),
            key: Secret::new(format!("gateway-key-of-{name}")),
        })
        .into();
}

fn as_tenant(name: &str, text: &str) -> Ask {
    messages(&conversation(text)).header("x-forge-key", &format!("gateway-key-of-{name}"))
}

#[test]
fn v15_one_tenants_samples_turn_nothing_off_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = world_with(|settings| of_two_tenants(settings, folder));
    // A model that mallory has told how to react.
    world.mock.always(|request| {
        if is_shortened(request) {
            Reply::calling("Bash", serde_json::json!({"command": "ls -la"}))
        } else {
            Reply::calling("Bash", serde_json::json!({"command": "cargo build"}))
        }
    });
    let mut count = 0;
    let held = loop {
        count += 1;
        assert_eq!(world.send(as_tenant("mallory", &other_run(count))).status, 200);
        let state = state(folder, |state| done(state) == count);
        if !state.holds.is_empty() {
            break state.holds;
        }
        assert!(count < 200, "nothing is held: {state:?}");
    };
    assert!(held.iter().all(|hold| hold.tenant.as_deref() == Some("mallory")), "{held:?}");
    // The first request after a change may go as before.
    let again = world_with(|settings| {
        of_two_tenants(settings, folder);
        settings.shadow.share = 1e-12;
    });
    assert_eq!(again.send(as_tenant("alice", &other_run(1_000))).status, 200);
    assert!(is_shortened(&again.mock.last()), "{}", forwarded(&again.mock));
    assert_eq!(again.send(as_tenant("mallory", &other_run(1_001))).status, 200);
    assert!(!is_shortened(&again.mock.last()), "{}", forwarded(&again.mock));
}

#[test]
fn v17_turning_the_comparison_off_ends_what_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let hold = tokenforge_shadow::ShadowHold {
        kind: HoldKind::Mode,
        name: "standard".to_owned(),
        since: 0,
        bound: 0.01,
        tenant: None,
        counts: tokenforge_shadow::PairedCounts::default(),
    };
    let file = ShadowFile::in_folder(folder.path());
    file.update(0, |state| state.holds.push(hold)).unwrap();
    for (share, is_held) in [(1e-12, true), (0.0, false)] {
        let world = world_with(|settings| {
            on(settings, folder.path());
            settings.shadow.share = share;
        });
        world.send(messages(&conversation(&test_run())));
        assert_eq!(is_shortened(&world.mock.last()), !is_held, "share: {share}");
    }
}

#[test]
fn v13_a_request_is_asked_three_times_with_the_clients_own_headers_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = sampling(folder);
    let ask = |body: &serde_json::Value| {
        messages(body).header("idempotency-key", "once").header("x-own", "kept")
    };
    world.send(ask(&streaming(&test_run())));
    state(folder, |state| done(state) == 1);
    let requests = world.mock.requests();
    assert_eq!(requests.len(), 4);
    let sent = streaming(&test_run());
    let [client, a, again, b] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((&a.body, &a.json()), (&again.body, &sent));
    assert_eq!(client.body, b.body);
    for request in [a, again, b] {
        assert_eq!((request.header("x-api-key"), request.header("x-own")), ("sk-client", "kept"));
        assert_eq!(request.header("idempotency-key"), "");
    }
    assert_eq!(client.header("idempotency-key"), "once");
    assert_eq!((world.counter("shadow_requests"), world.counter("requests")), (3, 1));
    assert_eq!(world.mock.refusals(), Vec::<String>::new());
}

#[test]
fn v13_what_it_costs_is_in_the_ledger_under_its_own_name_and_in_no_other_sum() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = sampling(folder);
    let state = sample(&world, folder, 1, &test_run());
    let prices = ModelPrices::default();
    let read = || Ledger::read(folder, None).unwrap();
    let started = Instant::now();
    let gain = loop {
        let gain = LedgerSummary::of(read(), GroupBy::Tool, &prices);
        if gain.requests == 1 && gain.shadow.is_some_and(|shadow| shadow.requests == 3) {
            break gain;
        }
        assert!(started.elapsed() < PATIENCE, "{gain:?}");
        std::thread::yield_now();
    };
    let shadow = gain.shadow.unwrap();
    assert!((shadow.cost - state.budget.total).abs() < 1e-5, "{shadow:?} {state:?}");
    assert!(shadow.cost > 0.0 && state.budget.requests == 3);
    let bill = gain.cost.unwrap();
    assert!(bill.requests == 1 && bill.after < shadow.cost, "{bill:?}");
    assert_eq!(gain.rows.iter().map(|row| row.results).sum::<u64>(), 1);
    let sessions = SessionList::of(read(), &EntryFilter::default(), &prices, 10);
    assert_eq!(sessions.sessions.len(), 1);
    let line = serde_json::to_string(&state).unwrap();
    for text in ["case_number", "cargo test", "sk-client"] {
        assert!(!line.contains(text), "{text}: {line}");
    }
}

/// What becomes of one sampled request, and how many more the provider saw.
fn left_out(set: impl FnOnce(&mut Settings), ask: Ask) -> (ShadowState, usize) {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(|settings| {
        on(settings, folder.path());
        set(settings);
    });
    assert_eq!(world.send(ask).status, 200);
    let state = state(folder.path(), |state| done(state) == 1);
    (state, world.mock.requests().len() - 1)
}

#[test]
fn v13_what_may_not_or_cannot_be_asked_again_is_not() {
    let secret = ["ghp_", "k7Rq2Xv9Lm4Tn8Wb1Zc6Yd3Hf5Jg0Ps2Qa7U"].concat();
    let with_secret = conversation(&format!("{}token: {secret}\n", test_run()));
    let mut searching = conversation(&test_run());
    let search = serde_json::json!({"type": "web_search_20250305", "name": "web_search"});
    searching["tools"].as_array_mut().unwrap().push(search);
    let mut unpriced = conversation(&test_run());
    unpriced["model"] = "claude-unknown".into();
    let plan = Ask::post("/v1/messages", conversation(&test_run()).to_string())
        .header("anthropic-version", "2023-06-01")
        .header("authorization", "Bearer sk-ant-oat01-token");
    for (ask, why) in [
        (messages(&with_secret), "redaction"),
        (messages(&searching), "provider_tools"),
        (messages(&unpriced), "no_price"),
        (plan, "no_price"),
    ] {
        let (state, asked) = left_out(|_| {}, ask);
        assert_eq!((state.undecided.get(why), asked), (Some(&1), 0), "{why}: {state:?}");
    }
    // Redaction that is off for the client is not off here.
    let off = |settings: &mut Settings| settings.tool_output.redact_secrets = false;
    let (state, asked) = left_out(off, messages(&with_secret));
    assert_eq!((state.undecided.get("redaction"), asked), (Some(&1), 0), "{state:?}");
    let poor = |settings: &mut Settings| settings.shadow.budget_usd = 0.000_01;
    let (state, asked) = left_out(poor, messages(&conversation(&test_run())));
    assert_eq!((state.undecided.get("budget"), asked), (Some(&1), 0), "{state:?}");
}

#[test]
fn v13_a_provider_that_fails_or_a_model_that_asks_back_decides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = sampling(folder);
    world.mock.reply("the client's");
    world.mock.reply("A");
    world.mock.reply(Reply::status(529, &[], r#"{"type":"error"}"#));
    let state = sample(&world, folder, 1, &other_run(1));
    assert_eq!((state.undecided.get("not_answered"), state.budget.requests), (Some(&1), 1));
    for said in ["the client's", "A", "A'"] {
        world.mock.reply(said);
    }
    world.mock.reply(Reply::expand_first_reference());
    let state = sample(&world, folder, 2, &other_run(2));
    assert_eq!(state.undecided.get("fetched_back"), Some(&1), "{state:?}");
    assert_eq!(world.mock.queued(), 0);
}

#[test]
fn v13_shadow_requests_are_off_by_default() {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(|settings| settings.ledger.path = Some(folder.path().to_owned()));
    world.send(messages(&conversation(&test_run())));
    assert_eq!((world.counter("shadow_requests"), world.mock.requests().len()), (0, 1));
    assert_eq!(ShadowFile::in_folder(folder.path()).read().unwrap(), None);
    // Without a ledger nothing is spent either.
    let world = world_with(|settings| settings.shadow.share = 1.0);
    world.send(messages(&conversation(&test_run())));
    assert_eq!((world.counter("shadow_requests"), world.counter("shadow_dropped")), (0, 0));
    assert!(Gateway::check(&Settings::default()).is_ok());
}

#[test]
fn v14_what_the_provider_counts_is_told_beside_our_count_of_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(|settings| settings.ledger.path = Some(folder.path().to_owned()));
    let started = Instant::now();
    // Our count may come after the reply, and then it is not written down.
    let calibration = loop {
        world.send(messages(&conversation(&rows())));
        let reading = Ledger::read(folder.path(), None).unwrap();
        let gain = LedgerSummary::of(reading, GroupBy::Model, &ModelPrices::default());
        if let [row] = &gain.calibration[..] {
            break row.clone();
        }
        assert!(started.elapsed() < PATIENCE, "{gain:?}");
    };
    assert_eq!(
        (&*calibration.model, &*calibration.vocabulary),
        ("claude-sonnet-4-5", "o200k_base")
    );
    assert!(!calibration.exact && calibration.counted > 100);
    let ratio = calibration.provider as f64 / calibration.counted as f64;
    assert!((ratio - calibration.ratio).abs() < 0.001, "{calibration:?}");
}
