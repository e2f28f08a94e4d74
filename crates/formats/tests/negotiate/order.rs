//! Who decides, in which order, and what counts as having said something.

use http::{HeaderMap, HeaderName, HeaderValue};
use tokenforge_formats::negotiate::{ClientPreferences, DecidedBy, Format, FormatCarrier};

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    headers
}

/// The form in which a client with these headers wants a body, where JSON is usual.
fn body(lines: &[(&'static str, &str)]) -> (Format, DecidedBy) {
    let headers = headers(lines);
    let wanted = ClientPreferences::of(&headers).wants(FormatCarrier::Body);
    (wanted.format(), wanted.by())
}

fn accept(value: &str) -> Format {
    body(&[("accept", value)]).0
}

/// A reader of whom everything is known.
fn known(headers: &HeaderMap) -> ClientPreferences<'_> {
    ClientPreferences { headers, meta: Some("auto"), usual: Format::Toon }
}

fn said(reader: ClientPreferences<'_>) -> (Format, DecidedBy) {
    let wanted = reader.wants(FormatCarrier::Text);
    (wanted.format(), wanted.by())
}

#[test]
fn a1_each_goes_before_the_next() {
    let mut headers = headers(&[
        ("x-prefer-format", "json"),
        ("accept", "text/toon"),
        ("accept-encoding", "stc"),
    ]);
    assert_eq!(said(known(&headers)), (Format::Json, DecidedBy::PreferFormat));
    headers.remove("x-prefer-format");
    assert_eq!(said(known(&headers)), (Format::Auto, DecidedBy::Meta));
    assert_eq!(
        said(ClientPreferences { meta: None, ..known(&headers) }),
        (Format::Toon, DecidedBy::Accept)
    );
    headers.remove("accept");
    assert_eq!(
        said(ClientPreferences { meta: None, ..known(&headers) }),
        (Format::Stc, DecidedBy::AcceptEncoding)
    );
    headers.remove("accept-encoding");
    let silent = ClientPreferences { meta: None, ..known(&headers) };
    assert_eq!(said(silent), (Format::Toon, DecidedBy::Usual));
}

#[test]
fn m3_prefer_format_ignores_case_and_unknown_words() {
    for (value, format) in [("TOON", Format::Toon), (" Stc ", Format::Stc), ("auto", Format::Auto)]
    {
        assert_eq!(
            body(&[("x-prefer-format", value)]),
            (format, DecidedBy::PreferFormat),
            "{value}"
        );
    }
    for value in ["", "msgpack", "toon, json", "toon;q=1"] {
        let found = body(&[("x-prefer-format", value), ("accept", "text/toon")]);
        assert_eq!(found, (Format::Toon, DecidedBy::Accept), "{value}");
    }
}

#[test]
fn two_lines_that_contradict_each_other_say_nothing() {
    let name = "x-prefer-format";
    assert_eq!(body(&[(name, "toon"), (name, "stc")]), (Format::Json, DecidedBy::Usual));
    assert_eq!(body(&[(name, "toon"), (name, "TOON")]), (Format::Toon, DecidedBy::PreferFormat));
}

#[test]
fn h3_accept_encoding_names_stc_or_does_not() {
    let coding = "accept-encoding";
    for lines in [
        &["stc"][..],
        &["gzip, STC;q=0.5"],
        &["gzip", "stc"],
        &["identity;q=1, stc ; q=0.001"],
        &["*;q=0, stc"],
    ] {
        let lines: Vec<_> = lines.iter().map(|value| (coding, *value)).collect();
        assert_eq!(body(&lines), (Format::Stc, DecidedBy::AcceptEncoding), "{lines:?}");
    }
    for lines in [
        &["stc;q=0"][..],
        &["stc;q=0.000, *"],
        &["gzip", "stc;q=0"],
        &["*"],
        &["gzip, br"],
        &["stcx, x-stc"],
        &["stc;q=much"],
        &["stc, stc;q=0"],
        &[""],
    ] {
        let lines: Vec<_> = lines.iter().map(|value| (coding, *value)).collect();
        assert_eq!(body(&lines), (Format::Json, DecidedBy::Usual), "{lines:?}");
    }
}

#[test]
fn m4_accept_is_weighed() {
    for (value, format) in [
        ("text/toon", Format::Toon),
        ("TEXT/Toon; version=4", Format::Toon),
        ("application/stc+json, application/json;q=0.9", Format::Stc),
        ("text/toon, application/json, text/event-stream", Format::Toon),
        ("application/json, text/toon", Format::Toon),
        ("text/toon;q=0.4, application/stc+json;q=0.5", Format::Stc),
        ("application/stc+json, text/toon", Format::Stc),
        ("text/toon, application/stc+json", Format::Toon),
        ("text/toon;q=0.5, */*;q=0.1", Format::Toon),
        ("text/toon;q=0.5, application/json", Format::Json),
        ("text/toon;q=0.5, application/*", Format::Json),
        ("text/toon;q=0.5, */*", Format::Json),
        ("text/toon;q=0", Format::Json),
        ("text/toon;q=0, application/stc+json", Format::Stc),
        ("text/*", Format::Json),
        ("*/*", Format::Json),
        ("application/json", Format::Json),
    ] {
        assert_eq!(accept(value), format, "{value}");
    }
}

/// The form that is sent where one is usual and the client asks for none.
fn usual(format: Format, accept: &str, carrier: FormatCarrier) -> Format {
    let headers = headers(&[("accept", accept)]);
    ClientPreferences { usual: format, ..ClientPreferences::of(&headers) }.wants(carrier).format()
}

#[test]
fn a_usual_form_is_sent_where_the_body_may_have_it() {
    for (accept, format) in [
        ("*/*", Format::Toon),
        ("text/*", Format::Toon),
        ("application/json, text/plain, */*", Format::Toon),
        ("application/json", Format::Json),
        ("application/json, */*;q=0.5", Format::Json),
        ("text/toon;q=0, */*", Format::Json),
        ("text/html", Format::Json),
    ] {
        assert_eq!(usual(Format::Toon, accept, FormatCarrier::Body), format, "{accept}");
    }
    assert_eq!(usual(Format::Auto, "text/toon;q=0, */*", FormatCarrier::Body), Format::Stc);
    let wanted =
        ClientPreferences { usual: Format::Stc, ..ClientPreferences::of(&HeaderMap::new()) }
            .wants(FormatCarrier::Body);
    assert_eq!(wanted.format(), Format::Stc, "no Accept takes anything");
}

#[test]
fn a_usual_form_of_a_text_is_sent_unless_it_is_refused_by_name() {
    let envelope = "application/json, text/event-stream";
    for format in [Format::Toon, Format::Stc, Format::Auto] {
        assert_eq!(usual(format, envelope, FormatCarrier::Text), format);
    }
    assert_eq!(usual(Format::Toon, "text/toon;q=0", FormatCarrier::Text), Format::Json);
    assert_eq!(
        usual(Format::Auto, "text/toon;q=0, application/json", FormatCarrier::Text),
        Format::Stc
    );
    assert_eq!(usual(Format::Auto, "application/stc+json;q=0", FormatCarrier::Text), Format::Toon);
}
