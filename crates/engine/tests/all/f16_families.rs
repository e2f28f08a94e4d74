//! F16: every tool family has a detector and a filter that keeps what matters.

use std::collections::BTreeMap;
use std::fs;

use tokenforge_engine::context::CallContext;
use tokenforge_engine::filter::{FamilyFilter, FilterSet, Invocation};

/// The filters that come with Tokenforge, with their tests, which the program does not hold.
fn with_tests() -> Vec<FamilyFilter> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/filters");
    let read = |filter: &FamilyFilter| {
        let file = format!("{folder}/{}.toml", filter.name());
        let text = fs::read_to_string(&file).unwrap();
        FamilyFilter::parse(&file, &text).unwrap()
    };
    FilterSet::builtin().iter().map(read).collect()
}

#[test]
fn f16_every_builtin_filter_passes_its_own_tests() {
    let filters = with_tests();
    let mut families: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut failures = Vec::new();
    for filter in &filters {
        let (verified, unverified, tests) = families.entry(filter.family()).or_default();
        *if filter.is_verified() { verified } else { unverified } += 1;
        *tests += filter.tests();
        failures.extend(filter.check().into_iter().map(|failure| {
            format!("{}, test {}: {}", filter.name(), failure.test, failure.reason)
        }));
    }
    for (family, (verified, unverified, tests)) in &families {
        println!("{family}: {verified} verified, {unverified} unverified filters, {tests} tests");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn f16_a_filter_that_leaves_something_out_has_a_test() {
    for filter in with_tests().iter().filter(|filter| filter.is_lossy()) {
        assert!(filter.tests() > 0, "{} has no test", filter.name());
    }
}

#[test]
fn f16_a_command_line_leads_to_its_filter() {
    for (line, expected) in [
        ("docker-compose up -d", "docker-compose"),
        ("docker compose -f dev.yml up --build", "docker-compose"),
        ("docker compose -f dev.yml logs web", "docker-compose-state"),
        ("docker logs web", "docker-state"),
        ("gh run view 42 --log-failed", "gh-run"),
        ("gh -R octo/shop pr checks 42", "gh-pr"),
        ("gh pr view 42", "gh"),
        ("gh run list", "gh"),
        ("kubectl -n shop apply -f web.yml", "kubectl"),
        ("kubectl -n shop get pods", "cloud-state"),
        ("oc rollout status deploy/web", "kubectl"),
        ("helm upgrade --install web ./chart", "helm"),
        ("helm template ./chart", "cloud-state"),
        ("dotnet test --no-build", "dotnet"),
        ("gcloud builds submit .", "gcloud"),
        ("aws logs tail shop", "cloud-state"),
    ] {
        let arguments = serde_json::json!({ "command": line }).to_string();
        let command = CallContext::new("Bash", &arguments, false).command.unwrap();
        let main = command.main().unwrap().command;
        let invocation = Invocation {
            program: &main.program,
            subcommand: main.subcommand.as_deref(),
            args: &main.args,
        };
        let found = FilterSet::builtin().find(Some(&invocation), "");
        assert_eq!(found.map(FamilyFilter::name), Some(expected), "{line}");
    }
}
