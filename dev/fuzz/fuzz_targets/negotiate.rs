//! Any headers say what is wanted, and what is taken out of them is asked for no more.
#![no_main]

use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use tokenforge_formats::negotiate::{
    ClientPreferences, DecidedBy, Format, FormatCarrier, PREFER_FORMAT, STC_CODING, STC_TYPE, TOON_TYPE, remove_accepted,
};

/// A line is a header, the first byte of which says which.
fn headers(text: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some((first, value)) = line.split_first() else { continue };
        let name: HeaderName = [ACCEPT, ACCEPT_ENCODING, PREFER_FORMAT][usize::from(*first) % 3].clone();
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(name, value);
        }
    }
    headers
}

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let mut headers = headers(text);
    for carrier in [FormatCarrier::Body, FormatCarrier::Text] {
        for usual in Format::ALL {
            let reader = ClientPreferences { usual: *usual, ..ClientPreferences::of(&headers) };
            let wanted = reader.wants(carrier);
            assert!(wanted.by() != DecidedBy::AcceptEncoding || wanted.format() == Format::Stc);
        }
    }
    remove_accepted(&mut headers, ACCEPT, TOON_TYPE);
    remove_accepted(&mut headers, ACCEPT, STC_TYPE);
    remove_accepted(&mut headers, ACCEPT_ENCODING, STC_CODING);
    headers.remove(PREFER_FORMAT);
    assert_eq!(ClientPreferences::of(&headers).wants(FormatCarrier::Body).by(), DecidedBy::Usual);
});
