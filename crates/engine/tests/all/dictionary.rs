//! The dictionary methods seen from outside: contract F10 and the laws.

use std::fmt::Write;

use proptest::prelude::*;
use tokenforge_engine::internals::dictionary::{
    DecodeError, DictionaryMethod, decode, encode, is_dictionary,
};
use tokenforge_tokens::Counter;

const SENTENCE: &str =
    "error: repeated dependency resolution failure, giving up after 3 attempts (see the log above)";

fn encode_with(text: &str, method: DictionaryMethod) -> Option<String> {
    encode(text, method, &Counter::default())
}

/// Lines that begin with a sentence and end with a number.
fn numbered_sentences(sentence: &str, lines: usize) -> String {
    (0..lines).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{sentence} {}", line * line * 7 + 1000);
        text
    })
}

/// The lines of the entries in a dictionary.
fn entries(encoded: &str) -> Vec<&str> {
    encoded.lines().skip(1).take_while(|line| line.contains(">> = \"")).collect()
}

/// A sentence that has no word in common with those of other numbers.
fn sentence(number: usize) -> String {
    (0..12).fold(String::new(), |mut sentence, word| {
        let letter =
            |nth: usize| char::from(b'a' + ((number * 7 + word * 5 + nth * 11) % 26) as u8);
        let _ = write!(sentence, "{}{number}{}{} ", letter(1), letter(2), letter(3));
        sentence
    })
}

#[test]
fn f10_lzw_is_printed_as_documented() {
    let text =
        format!("{SENTENCE} in crate alpha\n{SENTENCE} in crate beta\n{SENTENCE} in crate gamma\n");
    let printed = format!(
        "[Forge LZW Dictionary]\n<<F1:1>> = \"{SENTENCE} in crate\"\n<<F1:1>> alpha\n<<F1:1>> beta\n<<F1:1>> gamma\n"
    );
    assert_eq!(encode_with(&text, DictionaryMethod::Lzw), Some(printed.clone()));
    assert_eq!(encode_with(&text, DictionaryMethod::Auto), Some(printed));
}

#[test]
fn f10_repair_is_printed_as_documented() {
    let block = "warning: the \"old\\new\" name of this function is deprecated\n  use the new one instead\n";
    let text = ["src/one.rs", "lib/two.py", "bin/three.sh", "etc/four.c"]
        .map(|path| format!("{path}: {block}"))
        .concat();
    let printed = "[Forge RePair Dictionary]\n\
        <<R1:1>> = \": warning: the \\\"old\\\\new\\\" name of this function is deprecated\\n  use the new one instead\\n\"\n\
        src/one.rs<<R1:1>>lib/two.py<<R1:1>>bin/three.sh<<R1:1>>etc/four.c<<R1:1>>";
    assert_eq!(encode_with(&text, DictionaryMethod::Repair).as_deref(), Some(printed));
    assert_eq!(encode_with(&text, DictionaryMethod::Auto).as_deref(), Some(printed));
}

#[test]
fn f10_inputs_over_50000_bytes_are_skipped() {
    let mut text = numbered_sentences(SENTENCE, 1000);
    text.truncate(50_000);
    for &method in DictionaryMethod::ALL {
        assert!(encode_with(&text, method).is_some(), "{method}");
    }
    text.push('.');
    for &method in DictionaryMethod::ALL {
        assert_eq!(encode_with(&text, method), None, "{method}");
    }
}

#[test]
fn f10_a_dictionary_has_at_most_20_entries() {
    let of = |sentences: usize| {
        let text: String =
            (0..sentences).map(|number| numbered_sentences(&sentence(number), 4)).collect();
        encode_with(&text, DictionaryMethod::Lzw).map(|encoded| entries(&encoded).len())
    };
    assert_eq!(of(19), Some(19));
    assert_eq!(of(20), Some(20));
    assert_eq!(of(30), Some(20));
}

#[test]
fn f10_an_entry_occurs_at_least_3_times() {
    for method in [DictionaryMethod::Lzw, DictionaryMethod::Repair] {
        let long: String = (0..9).map(sentence).collect();
        assert_eq!(encode_with(&numbered_sentences(&long, 2), method), None);
        let text = numbered_sentences(&SENTENCE.replace("above", "of today"), 3)
            + &numbered_sentences(&sentence(1), 2);
        let encoded = encode_with(&text, method).unwrap();
        assert_eq!(entries(&encoded).len(), 1, "{encoded}");
    }
}

#[test]
fn f10_an_entry_saves_at_least_16_bytes() {
    let entries_with = |dense: &str| {
        let text = numbered_sentences(SENTENCE, 5) + &numbered_sentences(dense, 3);
        encode_with(&text, DictionaryMethod::Lzw).map(|encoded| entries(&encoded).len())
    };
    // Every character is a token, so that both would save tokens. With the blank before the number
    // the first has 27 bytes and saves 3 * (27 - 8) - (27 + 14) = 16, the second saves 14.
    assert_eq!(entries_with("k7x9q3z8w2j6v4b1g5k7x9q3z8"), Some(2));
    assert_eq!(entries_with("k7x9q3z8w2j6v4b1g5k7x9q3z"), Some(1));
}

#[test]
fn f10_entries_of_lzw_have_no_newline_and_those_of_repair_at_most_two() {
    let block: String = (0..7).map(|line| sentence(line) + "\n").collect();
    let text: String = (0..6).map(|part| format!("part {part}: {block}")).collect();
    let newlines = |method| {
        let encoded = encode_with(&text, method).unwrap();
        let entries = entries(&encoded);
        entries.iter().map(|entry| entry.matches("\\n").count()).max()
    };
    assert_eq!(newlines(DictionaryMethod::Lzw), Some(0));
    assert_eq!(newlines(DictionaryMethod::Repair), Some(2));
}

#[test]
fn f10_a_dictionary_is_not_compressed_again() {
    let text = numbered_sentences(SENTENCE, 20);
    for &method in DictionaryMethod::ALL {
        let once = encode_with(&text, method).unwrap();
        assert!(is_dictionary(&once));
        for &again in DictionaryMethod::ALL {
            assert_eq!(encode_with(&once, again), None);
            assert_eq!(encode_with(&format!("$ cat out\n{once}"), again), None);
        }
    }
    assert!(!is_dictionary(&text));
}

#[test]
fn markers_that_are_in_the_text_stay_what_they_are() {
    let text = numbered_sentences(&format!("<<F1:1>> and <<R1:2>> {SENTENCE}"), 9);
    let lzw = encode_with(&text, DictionaryMethod::Lzw).unwrap();
    assert!(lzw.starts_with("[Forge LZW Dictionary]\n<<F2:1>> = \"<<F1:1>> and"), "{lzw}");
    assert_eq!(decode(&lzw, text.len()), Ok(text.clone()));
    let repair = encode_with(&text, DictionaryMethod::Repair).unwrap();
    assert_eq!(decode(&repair, text.len()), Ok(text));
}

#[test]
fn text_without_repetition_is_left_alone() {
    let text: String = (0..100).map(sentence).collect();
    for &method in DictionaryMethod::ALL {
        for text in ["", "\n", "short", &text] {
            assert_eq!(encode_with(text, method), None);
        }
    }
}

#[test]
fn auto_keeps_the_method_with_fewer_tokens() {
    let counter = Counter::default();
    let one_line = numbered_sentences(SENTENCE, 20);
    let two_lines = numbered_sentences(&SENTENCE.replace(", ", ",\n"), 20);
    for text in [one_line, two_lines] {
        let [lzw, repair, auto] =
            [DictionaryMethod::Lzw, DictionaryMethod::Repair, DictionaryMethod::Auto]
                .map(|method| encode_with(&text, method).unwrap());
        let expected = if counter.count(&repair) < counter.count(&lzw) { repair } else { lzw };
        assert_eq!(auto, expected);
    }
}

#[test]
fn f3_methods_have_names_and_lzw_is_the_default() {
    assert_eq!(DictionaryMethod::default(), DictionaryMethod::Lzw);
    for &method in DictionaryMethod::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    let error = "zip".parse::<DictionaryMethod>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown dictionary method `zip`, expected one of: lzw, repair, auto"
    );
}

#[test]
fn errors_say_what_is_wrong() {
    assert_eq!(DecodeError::TooLarge { limit: 9 }.to_string(), "the text is larger than 9 bytes");
}

/// The laws: what is encoded is smaller in tokens and bytes, decodes to the same text, is not encoded again, and is
/// what its text is encoded to.
fn check(text: &str) -> Result<(), TestCaseError> {
    let counter = Counter::default();
    for &method in DictionaryMethod::ALL {
        let Some(encoded) = encode(text, method, &counter) else { continue };
        prop_assert_eq!(decode(&encoded, text.len()), Ok(text.to_owned()));
        prop_assert!(counter.count(&encoded) < counter.count(text), "{}", encoded);
        prop_assert!(encoded.len() < text.len(), "{}", encoded);
        prop_assert_eq!(encode(&encoded, method, &counter), None);
        let too_small = decode(&encoded, text.len() - 1);
        prop_assert_eq!(too_small, Err(DecodeError::TooLarge { limit: text.len() - 1 }));
        let its = if encoded.starts_with("[Forge LZW") {
            DictionaryMethod::Lzw
        } else {
            DictionaryMethod::Repair
        };
        prop_assert_eq!(encode(text, its, &counter), Some(encoded));
    }
    Ok(())
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z]{1,8}",
        4 => " [a-z]{1,8}",
        2 => "[0-9]{1,6}",
        2 => "[ -~]{1,4}",
        1 => r#"["\\]{1,3}"#,
        1 => "(\r\n|\n|\r|\t|   )",
        1 => "[é你好🦀ß]{1,4}",
        1 => "<<[FR][1-3]:[0-9]{0,2}>{0,2}",
    ]
}

/// Texts of a few phrases that come again and again.
fn repetitive() -> impl Strategy<Value = String> {
    let phrase = prop::collection::vec(piece(), 1..30).prop_map(|pieces| pieces.concat());
    let phrases = prop::collection::vec(phrase, 1..8);
    (phrases, prop::collection::vec((any::<prop::sample::Index>(), piece()), 1..120)).prop_map(
        |(phrases, parts)| {
            let part = |(index, piece): &(prop::sample::Index, String)| {
                format!("{}{piece}", index.get(&phrases))
            };
            parts.iter().map(part).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn repetitive_texts_obey_the_laws(text in repetitive()) {
        check(&text)?;
    }

    #[test]
    fn any_texts_obey_the_laws(text in "\\PC{0,300}") {
        check(&text)?;
        check(&text.repeat(5))?;
    }

    #[test]
    fn a_header_in_the_text_keeps_it_as_it_is(
        before in repetitive(),
        after in repetitive(),
        header in "\\[Forge (LZW|RePair) Dictionary\\]",
    ) {
        for &method in DictionaryMethod::ALL {
            prop_assert_eq!(encode_with(&format!("{before}\n{header}\n{after}"), method), None);
        }
    }

    #[test]
    fn no_dictionary_makes_the_reader_panic_or_exceed_its_limit(
        body in prop::collection::vec(
            prop_oneof!["<<F1:[0-9]{1,2}>>", "<<F1:[12]>> = \"[a-z\\\\\"]{0,9}\"\n", piece()],
            0..30,
        ),
        limit in 0..500usize,
    ) {
        let text = format!("[Forge LZW Dictionary]\n<<F1:1>> = \"abc\"\n{}", body.concat());
        if let Ok(decoded) = decode(&text, limit) {
            prop_assert!(decoded.len() <= limit);
        }
    }
}
