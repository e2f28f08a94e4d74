//! F16: every tool family has a detector and a filter that keeps what matters.

use std::collections::BTreeMap;
use std::fs;

use tokenforge_engine::filter::{FamilyFilter, FilterSet};

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
