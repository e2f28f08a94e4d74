//! Any headers say what is wanted, and what is taken out of them is asked for no more.
#![no_main]

use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use tokenforge_formats::negotiate::{
    By, Carrier, Format, PREFER_FORMAT, Reader, STC_CODING, STC_TYPE, TOON_TYPE, take_out,
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
    for carrier in [Carrier::Body, Carrier::Text] {
        for usual in Format::ALL {
            let reader = Reader { usual: *usual, ..Reader::of(&headers) };
            let wanted = reader.wants(carrier);
            assert!(wanted.by() != By::AcceptEncoding || wanted.format() == Format::Stc);
        }
    }
    take_out(&mut headers, ACCEPT, TOON_TYPE);
    take_out(&mut headers, ACCEPT, STC_TYPE);
    take_out(&mut headers, ACCEPT_ENCODING, STC_CODING);
    headers.remove(PREFER_FORMAT);
    assert_eq!(Reader::of(&headers).wants(Carrier::Body).by(), By::Usual);
});
