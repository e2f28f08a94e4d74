//! F20: STC 2 cuts no word, name, number or timestamp, wherever it factors something out.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Json, MAX_OUTPUT};
use tokenforge_json::quote;

/// What has to stay whole, of one kind: a timestamp as programs print it, a number, an address, a name.
fn unit(kind: usize, number: u32) -> String {
    let (a, b) = (10 + number % 50, 10 + number / 50 % 50);
    match kind {
        0 => format!("2020-12-01T20:{b}:{a}.3Z"),
        1 => format!("2020-12-01 20:{b}:{a} +0000"),
        2 => format!("Thu, 04 Dec 2020 10:{b}:{a} GMT"),
        3 => format!("04/Dec/2020:10:{b}:{a} +0100"),
        4 => format!("-1234.{number}"),
        5 => format!("1,234,{number}"),
        6 => format!("10.20.{b}.{a}:8080"),
        7 => format!("kube-proxy-{number:x}-drwg"),
        8 => format!("CVE-2020-{number}"),
        9 => format!("user_{number}@mail.example.com"),
        10 => format!("sha256:{number:x}beef"),
        _ => format!("Dec {a} 20:{b}:{a}"),
    }
}

/// A table whose columns are texts around a unit, and an object with the same texts outside of one.
fn document(units: &[String], before: &str, behind: &str) -> String {
    let text = |unit: &String| quote(&format!("{before}{unit}{behind}"));
    let row = |unit: &String| format!(r#"{{"name":{},"text":{},"n":1}}"#, quote(unit), text(unit));
    let rows: Vec<String> = units.iter().map(row).collect();
    let plain: Vec<String> = units.iter().map(text).collect();
    format!(r#"{{"rows":[{}],"plain":[{}]}}"#, rows.join(","), plain.join(","))
}

fn assert_units_are_whole(text: &str, units: &[String]) {
    let json = Json::parse(text).unwrap();
    for encoded in
        [stc2::encode(&json, Level::Shared), stc2::encode_for_model(&json, Level::Shared)]
    {
        for unit in units {
            assert!(encoded.contains(&**unit), "{unit} is cut in\n{encoded}");
        }
        assert_eq!(stc2::decode(&encoded, MAX_OUTPUT).unwrap(), json.minify());
    }
}

#[test]
fn f20_timestamps_that_start_alike_stay_whole() {
    let text = r#"{"time":"2020-12-01T20:29:04.3Z","end":"2020-12-01T20:40:11.9Z","issued":"2020-12-01T20:28:40Z","expires":"2020-12-02T20:28:40Z"}"#;
    let units = ["2020-12-01T20:29:04.3Z", "2020-12-01T20:40:11.9Z", "2020-12-01T20:28:40Z"];
    assert_units_are_whole(text, &units.map(str::to_owned));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn f20_no_unit_is_cut_whatever_is_around_it(
        kind in 0_usize..12,
        numbers in prop::collection::vec(0_u32..200_000, 3..12),
        others in prop::collection::vec((0_usize..12, 0_u32..2_500), 0..4),
        before in "(|https://api\\.example\\.com/repos/x/|built from |\\(at |v: |level=)",
        behind in "(|/forks|\\?page=2| was seen|\\)|, and more)",
    ) {
        let units = numbers.into_iter().map(|number| (kind, number)).chain(others);
        let units: Vec<String> = units.map(|(kind, number)| unit(kind, number)).collect();
        assert_units_are_whole(&document(&units, &before, &behind), &units);
    }
}
