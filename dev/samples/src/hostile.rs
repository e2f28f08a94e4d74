//! Algorithmic-complexity attacks: texts made to take a compressor far more time than their size deserves.

use std::fmt::Write as _;

/// A kind of hostile text, and how to write about so many bytes of it.
pub type HostileKind = (&'static str, fn(usize) -> String);

/// Every kind of hostile text.
pub const HOSTILE_KINDS: &[HostileKind] = &[
    ("one character repeated", |bytes| many("x", bytes)),
    ("blanks without a newline", |bytes| many(" ", bytes)),
    ("newlines", |bytes| many("\n", bytes)),
    ("tiny lines", |bytes| many("a\n", bytes)),
    ("pairs of lines", |bytes| many("a\nb\na\nc\n", bytes)),
    ("one line of words", |bytes| many("word and another ", bytes)),
    ("one line of numbers", |bytes| numbered(bytes, |out, n| write!(out, "{n} "))),
    ("no two characters alike", letters),
    ("emoji", |bytes| many("👩‍👩‍👧‍👦", bytes)),
    ("combining marks", |bytes| many("e\u{301}", bytes)),
    ("nested brackets", |bytes| many("[", bytes)),
    ("balanced brackets", |bytes| format!("{}{}", "[".repeat(bytes / 2), "]".repeat(bytes / 2))),
    ("brackets on lines", |bytes| many("[\n", bytes)),
    ("nested objects", |bytes| many("{\"a\":", bytes)),
    ("deep JSON", |bytes| {
        let levels = bytes / 6;
        format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels))
    }),
    ("arrays of 500 levels", |bytes| {
        let one = format!("{}{}", "[".repeat(500), "]".repeat(500));
        listed(bytes, |out, _| write!(out, "{one}"))
    }),
    ("ragged objects", |bytes| {
        listed(bytes, |out, n| write!(out, "{{\"k{}\":{n},\"k{}\":\"v\"}}", n % 997, n % 1009))
    }),
    ("objects with new keys", |bytes| listed(bytes, |out, n| write!(out, "{{\"k{n}\":{n}}}"))),
    ("one object of many keys", |bytes| {
        let members = joined(bytes, |out, n| write!(out, "\"key_{n}\":{{\"a\":{n}}}"));
        format!("{{{members}}}")
    }),
    ("duplicate keys", |bytes| format!("{{{}}}", joined(bytes, |out, _| write!(out, "\"a\":1")))),
    ("wide rows", |bytes| {
        let row: Vec<String> = (0..500).map(|n| format!("\"c{n}\":{n}")).collect();
        listed(bytes, |out, _| write!(out, "{{{}}}", row.join(",")))
    }),
    ("small numbers", |bytes| listed(bytes, |out, n| write!(out, "{}", n % 10))),
    ("strings that look like syntax", |bytes| {
        listed(bytes, |out, n| write!(out, "{{\"a\":\"{{,:]{n}\",\"b\":\"- \\\"\"}}"))
    }),
    ("lines of JSON", |bytes| numbered(bytes, |out, n| writeln!(out, "{{\"a\":{n},\"b\":[{n}]}}"))),
    ("starts of JSON", |bytes| many("{\"a\":[1,2,{\"b\":\"c ", bytes)),
    ("JSON in prose", |bytes| numbered(bytes, |out, n| write!(out, "see {{\"a\": {n}}} or [ {{ "))),
    ("escapes", |bytes| many("\u{1b}[", bytes)),
    ("open titles", |bytes| many("\u{1b}]0;", bytes)),
    ("cursor moves", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "\u{1b}[{}A\u{1b}[2Kx", n % 50))
    }),
    ("carriage returns", |bytes| many("a\r", bytes)),
    ("backspaces", |bytes| many("ab\u{8}", bytes)),
    ("one path", |bytes| many("a/b/c:1:x\n", bytes)),
    ("deep paths", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "{}f{n}.rs:{n}: x", "dir/".repeat(n % 60)))
    }),
    ("paths that share little", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "{n}/src/{}/lib.rs", n * 7))
    }),
    ("slashes", |bytes| many("/", bytes)),
    ("numbered lines", |bytes| numbered(bytes, |out, n| writeln!(out, "{n}\tx"))),
    ("timestamps", |bytes| {
        numbered(bytes, |out, n| {
            writeln!(
                out,
                "2026-01-01T{:02}:{:02}:{:02}.{n}Z INFO w-{n}",
                n / 3600 % 24,
                n / 60 % 60,
                n % 60
            )
        })
    }),
    ("near-duplicates", |bytes| {
        let filler = "the same long line of a log that goes on ".repeat(4);
        numbered(bytes, |out, n| writeln!(out, "{filler}{n}"))
    }),
    ("blocks that nearly repeat", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "a line\nanother line\nthird {}\n", n % 3))
    }),
    ("lines of one shape", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "{} {} {} {}", n, n * 3, n * 5 % 97, n * 7 % 89))
    }),
    ("lines of many fields", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "{}", "a=1 ".repeat(n % 400)))
    }),
    ("tables", |bytes| numbered(bytes, |out, n| writeln!(out, "| {n:<40} | {:>40} |", n * 7))),
    ("ragged tables", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "{}|", "|  a ".repeat(n % 60)))
    }),
    ("padded columns", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "{:<w$}b   c", n, w = n % 200))
    }),
    ("delimited", |bytes| numbered(bytes, |out, n| writeln!(out, "a,\"b \"\",{n},,;\t"))),
    ("base64", |bytes| many("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0123456789+/", bytes)),
    ("base64 in pieces", |bytes| many("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0123456789+/== ", bytes)),
    ("hexadecimal", |bytes| numbered(bytes, |out, n| write!(out, "{:016x}", n * 0x9e37_79b9))),
    ("control characters", |bytes| many("\u{1}\u{2}a", bytes)),
    ("words of a secret", |bytes| many("password=token=secret=", bytes)),
    ("starts of keys", |bytes| many("sk-ant-api03-AKIA", bytes)),
    ("private keys without an end", |bytes| many("-----BEGIN RSA PRIVATE KEY-----\n", bytes)),
    ("starts of addresses", |bytes| many("https://a:b", bytes)),
    ("addresses", |bytes| {
        numbered(bytes, |out, n| write!(out, "https://u:p{n}@h/{n}?a=b&token=c "))
    }),
    ("quotes and backslashes", |bytes| many("\"\\", bytes)),
    ("assignments", |bytes| numbered(bytes, |out, n| write!(out, "api_key_{n}: \"a b\" = '"))),
    ("markers", |bytes| many("<<<SHADOW:shadow_", bytes)),
    ("dictionary headers", |bytes| many("[Forge LZW Dictionary]\n§1=abc\n", bytes)),
    ("tags", |bytes| many("<system-reminder>\n", bytes)),
    ("wrapped output", |bytes| many("<stdout>\na\n</stdout>\n<stderr>\n", bytes)),
    ("diff", |bytes| numbered(bytes, |out, n| writeln!(out, "@@ -{n},3 +{n},4 @@\n+a\n-b"))),
    ("stack traces", |bytes| {
        numbered(bytes, |out, n| writeln!(out, "Error: x\n    at f{n} (/a/b{n}.js:{n}:1)"))
    }),
    ("test results", |bytes| numbered(bytes, |out, n| writeln!(out, "test a::b_{n} ... ok"))),
    ("progress bars", |bytes| {
        numbered(bytes, |out, n| {
            write!(out, "\r[{}>{}] {n}%", "=".repeat(n % 40), " ".repeat(40 - n % 40))
        })
    }),
    ("powers of two of a block", |bytes| {
        let mut text = String::from("line 0\n");
        let mut turn = 0;
        while text.len() < bytes {
            turn += 1;
            let _ = writeln!(text, "line {turn}");
            text.extend_from_within(..);
        }
        text
    }),
];

/// The text again and again.
fn many(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len() + 1)
}

/// Pieces with a number each.
fn numbered(bytes: usize, piece: impl Fn(&mut String, usize) -> std::fmt::Result) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut number = 0;
    while text.len() < bytes {
        // Writing to a string cannot fail.
        let _ = piece(&mut text, number);
        number += 1;
    }
    text
}

/// Pieces with commas between them.
fn joined(bytes: usize, piece: impl Fn(&mut String, usize) -> std::fmt::Result) -> String {
    numbered(bytes, |out, n| {
        if n > 0 {
            out.push(',');
        }
        piece(out, n)
    })
}

/// An array of pieces.
fn listed(bytes: usize, piece: impl Fn(&mut String, usize) -> std::fmt::Result) -> String {
    format!("[{}]", joined(bytes, piece))
}

/// Letters in no order.
fn letters(bytes: usize) -> String {
    let mut random = fastrand::Rng::with_seed(7);
    (0..bytes).map(|_| random.alphanumeric()).collect()
}
