//! What holds for any headers.

use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderMap, HeaderValue};
use proptest::prelude::*;
use tokenforge_formats::negotiate::{
    ClientPreferences, DecidedBy, Format, FormatCarrier, PREFER_FORMAT, STC_CODING, STC_TYPE,
    TOON_TYPE, remove_accepted,
};

fn line() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(
        &[
            "text/toon",
            "application/stc+json",
            "application/json",
            "stc",
            "toon",
            "*/*",
            "text/*",
            "*",
            ",",
            ";",
            "q",
            "=",
            "0",
            "0.5",
            "1",
            "\"",
            "\\",
            " ",
            "\t",
            "ä",
        ][..],
    );
    prop_oneof![
        prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..48),
    ]
}

fn headers(lines: Vec<(u8, Vec<u8>)>) -> HeaderMap {
    let names = [ACCEPT, ACCEPT_ENCODING, PREFER_FORMAT];
    let lines = lines.into_iter().filter_map(|(name, line)| {
        Some((names[usize::from(name) % 3].clone(), HeaderValue::from_bytes(&line).ok()?))
    });
    let mut headers = HeaderMap::new();
    lines.for_each(|(name, line)| {
        headers.append(name, line);
    });
    headers
}

proptest! {
    #[test]
    fn any_headers_are_understood_somehow(lines in prop::collection::vec((any::<u8>(), line()), 0..6)) {
        let headers = headers(lines);
        let reader = ClientPreferences { usual: Format::Auto, ..ClientPreferences::of(&headers) };
        for carrier in [FormatCarrier::Body, FormatCarrier::Text] {
            let wanted = reader.wants(carrier);
            if wanted.by() == DecidedBy::AcceptEncoding {
                prop_assert_eq!(wanted.format(), Format::Stc);
            }
            if wanted.by() == DecidedBy::PreferFormat {
                prop_assert!(headers.contains_key(PREFER_FORMAT));
            }
        }
    }

    #[test]
    fn what_was_taken_out_is_asked_for_no_more(lines in prop::collection::vec((any::<u8>(), line()), 0..6)) {
        let mut headers = headers(lines);
        remove_accepted(&mut headers, ACCEPT, TOON_TYPE);
        remove_accepted(&mut headers, ACCEPT, STC_TYPE);
        remove_accepted(&mut headers, ACCEPT_ENCODING, STC_CODING);
        headers.remove(PREFER_FORMAT);
        prop_assert_eq!(ClientPreferences::of(&headers).wants(FormatCarrier::Body).by(), DecidedBy::Usual);
    }

    #[test]
    fn one_line_or_many_say_the_same(parts in prop::collection::vec("[a-z*]{1,8}/[a-z*]{1,8}(;q=(0|1|0\\.[0-9]{1,3}))?|text/toon(;q=0\\.[0-9])?|application/json(;q=0\\.[0-9])?", 1..8)) {
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let mut one = HeaderMap::new();
        one.insert(ACCEPT, value(&parts.join(", ")));
        let mut many = HeaderMap::new();
        parts.iter().for_each(|part| { many.append(ACCEPT, value(part)); });
        prop_assert_eq!(ClientPreferences::of(&one).wants(FormatCarrier::Body), ClientPreferences::of(&many).wants(FormatCarrier::Body));
    }

    #[test]
    fn liking_a_form_more_never_loses_it(low in 1_u16..=1000, more in 0_u16..=999, json in 0_u16..=1000) {
        let asked = |toon: u16| {
            let quality = |q: u16| if q == 1000 { "1".to_owned() } else { format!("0.{q:03}") };
            let line = format!("text/toon;q={}, application/json;q={}", quality(toon), quality(json));
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_str(&line).unwrap());
            ClientPreferences::of(&headers).wants(FormatCarrier::Body).format() == Format::Toon
        };
        prop_assert_eq!(asked(low), low >= json);
        prop_assert!(!asked(low) || asked((low + more).min(1000)));
    }
}
