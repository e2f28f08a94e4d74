//! Each kind both ways: what is found, and what is left alone.

use super::*;
use crate::builtin::redaction::redact;
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

fn personal(kinds: &[PersonalDataKind]) -> Arc<Personal> {
    PiiFilter::new(Settings { kinds: kinds.into(), ..Settings::default() }).unwrap().finder
}

fn filtered(text: &str) -> String {
    let redacted =
        redact(&*personal(&PersonalDataKind::ALL), &Bytes::copy_from_slice(text.as_bytes()));
    redacted.map_or_else(|| text.to_owned(), |text| String::from_utf8(text.into()).unwrap())
}

/// What is found, as it stands in the text.
fn found(text: &str) -> Vec<(PersonalDataKind, &str)> {
    scan::find("", text, |_| true).into_iter().map(|(kind, range)| (kind, &text[range])).collect()
}

#[track_caller]
fn finds(kind: PersonalDataKind, all: &[&str]) {
    for one in all {
        for text in [
            (*one).to_owned(),
            format!("see {one}."),
            format!("({one}), then"),
            format!("\\n{one}\\t"),
            format!("值：{one}。"),
        ] {
            assert_eq!(found(&text), [(kind, *one)], "{text}");
        }
    }
}

#[track_caller]
fn leaves(texts: &[&str]) {
    for text in texts {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn s9_addresses_of_email_are_found() {
    finds(
        PersonalDataKind::Email,
        &[
            "bob@example.com",
            "bob.o-neil+news@mail.example.co.uk",
            "b_ob%x@163.com",
            "Bob@EXAMPLE.ORG",
            "1@a.io",
            "bob@xn--bcher-kva.example",
            "x@a-b.museum",
        ],
    );
    assert_eq!(
        found("<bob@example.com>,..ann@example.com"),
        [
            (PersonalDataKind::Email, "bob@example.com"),
            (PersonalDataKind::Email, "ann@example.com")
        ]
    );
    assert_eq!(found("mailto:bob@example.com?subject=x")[0].1, "bob@example.com");
    assert_eq!(found("Author: Bob <bob@example.com>: fix")[0].1, "bob@example.com");
}

#[test]
fn s9_what_only_resembles_an_address_of_email_is_left_alone() {
    leaves(&[
        "git@github.com:owner/repo.git",
        "ssh://git@github.com/owner/repo",
        "lodash@4.17.21",
        "react@18.2.0-next.beta",
        "logo@2x.png",
        "getty@tty1.service",
        "@app.route",
        "user@localhost",
        "@scope/package",
        "a@b",
        "bob@.com",
        "bob.@example.com",
        "x@y.z(1)",
        "bob@example.c",
        "bob@-example.com",
        "umac-64-etm@openssh.com",
    ]);
    leaves(&[&format!("{}@example.com", "a".repeat(65)), "https://user@example.com/"]);
}

#[test]
fn s9_telephone_numbers_are_found() {
    finds(
        PersonalDataKind::Phone,
        &[
            "+1 415 555 2671",
            "+1-415-555-2671",
            "+1 (415) 555-2671",
            "+14155552671",
            "+4915112345678",
            "+49 151 12345678",
            "+49151 12345678",
            "+33 6 12 34 56 78",
            "+44 20 7946 0958",
            "+44 (0)20 7946 0958",
            "+86 138 1234 5678",
            "(415) 555-2671",
            "(415)555-2671",
            "415-555-2671",
            "415.555.2671",
            "1-415-555-2671",
        ],
    );
    for text in [
        "Tel.: 030 1234567",
        "phone=0301234567",
        "Fax 020 7946 0958",
        "mobile: (030) 1234-567",
        "tel:+493012345678",
    ] {
        assert_eq!(found(text).len(), 1, "{text}");
        assert_eq!(found(text)[0].0, PersonalDataKind::Phone, "{text}");
    }
    assert_eq!(
        found("call +4915112345678 10 times"),
        [(PersonalDataKind::Phone, "+4915112345678")]
    );
    assert_eq!(found("+49 151 12345678 10.0.0.1").len(), 2);
}

#[test]
fn s9_a_number_in_a_member_is_known_by_its_name() {
    for name in ["phone", "workPhone", "work_phone", "phone_number", "phoneNumber", "Mobile", "fax"]
    {
        assert_eq!(
            filtered(&format!(r#"{{"{name}":"030 1234567"}}"#)),
            format!(r#"{{"{name}":"[PHONE]"}}"#)
        );
    }
    for name in ["id", "headphones", "order_number", "", "total"] {
        let text = format!(r#"{{"{name}":"030 1234567"}}"#);
        assert_eq!(filtered(&text), text);
    }
}

#[test]
fn s9_what_only_resembles_a_telephone_number_is_left_alone() {
    leaves(&[
        "1700000000",
        "1700000000123",
        "2026-11-15 12:00:00",
        "+2024-01-01 12:00",
        "@@ -12,3 +12,4 @@",
        "+0000",
        "+12",
        "+1 2 3 4 5 6 7 8 9 10 11",
        "1+1234567890123",
        "123-456-7890",
        "911-555-1234",
        "2.415.555.2671",
        "415-555-26711",
        "415 555 2671",
        "id-415-555-2671",
        "QUJD+4915112345678",
        "/+4915112345678",
        "12345-415-555-2671",
        "+999999999999999999",
        "+10 20 30 40 50",
        "a.b+4412345678901",
        "0x4155552671",
    ]);
}

#[test]
fn s9_numbers_of_cards_are_found() {
    finds(
        PersonalDataKind::Card,
        &[
            "4111111111111111",
            "4222222222222",
            "5555555555554444",
            "2223003122003222",
            "378282246310005",
            "6011111111111117",
            "30569309025904",
            "3530111333300000",
            "6200000000000005",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "3782 822463 10005",
            "3056 930902 5904",
        ],
    );
    assert_eq!(found("card=4111111111111111&x")[0].1, "4111111111111111");
}

#[test]
fn s9_what_only_resembles_a_number_of_a_card_is_left_alone() {
    leaves(&[
        "4111111111111112",
        "41111111111111111",
        "411111111111111",
        "9999999999999995",
        "1700000000000000",
        "0.4111111111111111",
        "a4111111111111111",
        "4111111111111111b",
        "call_4111111111111111",
        "4111 1111-1111 1111",
        "4111  1111 1111 1111",
        "4111 1111 1111 11111",
        "+4111111111111111",
        "x-4111111111111111",
        "4111111111111111.5",
        "411111 1111111111",
        "0000000000000000",
        "550e8400-e29b-41d4-a716-446655440000",
    ]);
}

#[test]
fn s9_bank_accounts_are_found() {
    finds(
        PersonalDataKind::Iban,
        &[
            "DE89370400440532013000",
            "GB82WEST12345698765432",
            "FR1420041010050500013M02606",
            "NL91ABNA0417164300",
            "NO9386011117947",
            "GB82 WEST 1234 5698 7654 32",
            "DE89 3704 0044 0532 0130 00",
        ],
    );
}

#[test]
fn s9_what_only_resembles_a_bank_account_is_left_alone() {
    leaves(&[
        "DE88370400440532013000",
        "DE8937040044053201300",
        "DE893704004405320130000",
        "XX89370400440532013000",
        "de89370400440532013000",
        "XDE89370400440532013000",
        "DE89370400440532013000_",
        "DE8937 0400440532013000",
        "DE89  3704 0044 0532 0130 00",
        "DEADBEEF",
    ]);
}

#[test]
fn s9_addresses_of_machines_are_found() {
    finds(
        PersonalDataKind::Ip,
        &[
            "203.0.113.9",
            "10.0.0.1",
            "192.168.1.254",
            "2001:db8::1",
            "2001:0db8:0000:0000:0000:ff00:0042:8329",
            "fe80::1",
            "::ffff:203.0.113.9",
            "fd00:1234::",
            "2001:db8::ff00:42:8329",
        ],
    );
    for (text, address) in [
        ("http://10.0.0.1:8080/x", "10.0.0.1"),
        ("10.0.0.0/8", "10.0.0.0"),
        ("+216.126.233.109 .GPS.", "216.126.233.109"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("ip=10.0.0.1", "10.0.0.1"),
        ("fe80::1%eth0", "fe80::1"),
        ("from 10.0.0.1: no", "10.0.0.1"),
    ] {
        assert_eq!(found(text).first(), Some(&(PersonalDataKind::Ip, address)), "{text}");
    }
    assert_eq!(
        found("10.0.0.1-10.0.0.9 are ours"),
        [(PersonalDataKind::Ip, "10.0.0.1"), (PersonalDataKind::Ip, "10.0.0.9")]
    );
}

#[test]
fn s9_what_only_resembles_an_address_of_a_machine_is_left_alone() {
    leaves(&[
        "127.0.0.1",
        "0.0.0.0",
        "255.255.255.0",
        "::1",
        "::",
        "localhost",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4",
        "v1.2.3.4",
        "version 1.2.3.4",
        "Chrome/120.0.0.0",
        "foo==1.2.3.4",
        "foo-1.2.3.4",
        "1.2.3.4-rc1",
        "1.2.3.4-2",
        "1.2.3.4-3.5ubuntu2",
        "1.2.3.4.tar.gz",
        "12:34:56",
        "aa:bb:cc:dd:ee:ff",
        "std::fs::File",
        "dead::beef",
        "a::b",
        "::ffff:127.0.0.1",
        "2001:db8::1::2",
        "feed::face(",
        "2024:01:02",
        "f00d::bar",
    ]);
}

#[test]
fn s9_what_replaces_each_kind_is_a_setting() {
    let config = json!({"kinds": ["email", "card"], "replacements": {"email": "<someone>"}});
    let filter = PiiFilter::new(serde_json::from_value(config).unwrap()).unwrap();
    let body = Bytes::from("bob@example.com 4111111111111111 10.0.0.1");
    assert_eq!(redact(&*filter.finder, &body).unwrap(), "<someone> [CARD] 10.0.0.1");
    for with in ["\"", "a\\b", "a\nb"] {
        let settings = Settings {
            replacements: [(PersonalDataKind::Email, with.to_owned())].into(),
            ..Settings::default()
        };
        let error = PiiFilter::new(settings).err().unwrap().to_string();
        assert!(error.starts_with("replacements.email: "), "{error}");
    }
}

#[test]
fn s9_json_stays_json_and_all_but_the_strings_stays_as_it_was() {
    let body = r#"{ "to" : "a\u0040b.com\nbob@example.com" , "card":4111111111111111,"bob@example.com": 1.50e3, "é":["\ud800 ann@example.com"]}"#;
    let expected = r#"{ "to" : "[EMAIL]\n[EMAIL]" , "card":4111111111111111,"bob@example.com": 1.50e3, "é":["\ud800 [EMAIL]"]}"#;
    assert_eq!(filtered(body), expected);
}

#[test]
fn s9_json_inside_a_string_stays_json_too() {
    let inner =
        json!({"mail": "line\nbob@example.com", "card": 4111111111111111_u64, "path": "C:\\bob"})
            .to_string();
    let result = json!({"content": [{"type": "text", "text": inner}]}).to_string();
    let filtered: Value = serde_json::from_str(&filtered(&result)).unwrap();
    let inner: Value =
        serde_json::from_str(filtered["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        inner,
        json!({"mail": "line\n[EMAIL]", "card": 4111111111111111_u64, "path": "C:\\bob"})
    );
}

#[test]
fn s9_text_that_is_no_json_is_filtered_as_text() {
    assert_eq!(filtered("[INFO] bob@example.com logged in"), "[INFO] [EMAIL] logged in");
    assert_eq!(
        filtered("{\"a\":\"bob@example.com\"}\n{\"a\":4111111111111111}\n"),
        "{\"a\":\"[EMAIL]\"}\n{\"a\":4111111111111111}\n"
    );
    let bytes = Bytes::from_static(b"\xff bob@example.com \xfe");
    assert_eq!(
        redact(&*personal(&PersonalDataKind::ALL), &bytes).unwrap(),
        &b"\xff [EMAIL] \xfe"[..]
    );
}

/// What is personal, and what is nearly so.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "bob@example.com",
        "@",
        "a",
        ".",
        "com",
        "+49 151 12345678",
        "+",
        "4111111111111111",
        "4111 ",
        "1111",
        " ",
        "-",
        "DE89370400440532013000",
        "10.0.0.1",
        "2001:db8::1",
        ":",
        "::",
        "(415) 555-2671",
        "\\",
        "\\n",
        "\"",
        "é",
        "\n",
        "7",
        "phone: ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "_",
        "/",
    ])
}

/// Texts of such pieces.
fn nearly() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_found_is_in_order_and_between_characters(text in nearly()) {
        let mut end = 0;
        for (_, range) in scan::find("", &text, |_| true) {
            prop_assert!(end <= range.start && range.start < range.end);
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            end = range.end;
        }
    }

    #[test]
    fn s9_whatever_json_comes_in_json_of_the_same_shape_goes_out(texts in prop::collection::vec(nearly(), 0..5)) {
        let body = json!({"list": texts, "n": 4111111111111111_u64, "inner": json!({"text": &texts}).to_string()});
        let filtered: Value = serde_json::from_str(&filtered(&body.to_string())).unwrap();
        prop_assert_eq!(filtered["list"].as_array().unwrap().len(), texts.len());
        prop_assert_eq!(&filtered["n"], &body["n"]);
        let inner: Value = serde_json::from_str(filtered["inner"].as_str().unwrap()).unwrap();
        prop_assert_eq!(inner["text"].as_array().unwrap().len(), texts.len());
    }

    #[test]
    fn l6_what_was_filtered_is_not_filtered_again(
        pieces in prop::collection::vec(piece(), 0..12),
        gap in prop::sample::select(vec![" ", "\n", ", ", "\"", "é", "; "]),
    ) {
        // What touches something personal can be seen for what it is only once that is gone.
        let once = filtered(&pieces.join(gap));
        prop_assert_eq!(&filtered(&once), &once);
    }
}

/// Notes what is found.
#[derive(Default)]
struct Noting(std::sync::Mutex<Vec<(PersonalDataKind, String)>>);

impl Finder for Noting {
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)> {
        let found = scan::find(name, text, |_| true);
        let noted = found.into_iter().map(|(kind, range)| (kind, text[range].to_owned()));
        self.0.lock().unwrap().extend(noted);
        Vec::new()
    }
}

/// How often the filter is wrong on outputs of real tools: what it finds in them is all there is, and is what it takes
/// it for. `TOKENFORGE_CORPUS` names a folder of other outputs, of which it only prints what was found.
#[test]
fn s9_in_outputs_of_real_tools_nothing_is_taken_for_what_it_is_not() {
    let corpus = std::env::var_os("TOKENFORGE_CORPUS");
    let texts = match &corpus {
        Some(folder) => files(folder.into()),
        None => tokenforge_samples::recorded().into_iter().map(|output| output.text).collect(),
    };
    let noting = Noting::default();
    for text in &texts {
        redact(&noting, &Bytes::copy_from_slice(text.as_bytes()));
    }
    let mut distinct = BTreeMap::<(PersonalDataKind, String), usize>::new();
    for found in noting.0.into_inner().unwrap() {
        *distinct.entry(found).or_default() += 1;
    }
    println!("{} texts, {} bytes", texts.len(), texts.iter().map(String::len).sum::<usize>());
    for ((kind, what), count) in &distinct {
        println!("{kind:?}\t{what}\t{count}");
        let is_known = match kind {
            PersonalDataKind::Email => {
                what.ends_with("@example.com") || what == "camwest@gmail.com"
            }
            PersonalDataKind::Ip => what == "192.0.2.53",
            PersonalDataKind::Iban | PersonalDataKind::Card | PersonalDataKind::Phone => false,
        };
        assert!(is_known || corpus.is_some(), "{kind:?}: {what}");
    }
}

fn files(folder: std::path::PathBuf) -> Vec<String> {
    let (mut folders, mut texts) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => texts.extend(std::fs::read_to_string(&path)),
            }
        }
    }
    texts
}
