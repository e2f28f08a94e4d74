//! What tools return, in four shapes: flat rows, nested orders, an issue list, an event log.

use fastrand::Rng;
use std::fmt::Write;

/// The four shapes with their names, each about `bytes` long as minified JSON.
pub fn all(bytes: usize) -> [(&'static str, String); 4] {
    [
        ("uniform rows", uniform_rows(bytes)),
        ("nested orders", nested_orders(bytes)),
        ("issue list", issue_list(bytes)),
        ("event log", event_log(bytes)),
    ]
}

/// A query result: every row has the same scalar columns.
pub fn uniform_rows(bytes: usize) -> String {
    array(1, bytes, |rng, id, out| {
        let _ = write!(
            out,
            r#"{{"id":{id},"name":"{} {}","email":"{}@example.com","active":{},"score":{}.{},"city":"{}"}}"#,
            pick(rng, NAMES),
            pick(rng, SURNAMES),
            pick(rng, NAMES).to_lowercase(),
            rng.bool(),
            rng.u32(..1000),
            rng.u32(1..100),
            pick(rng, CITIES),
        );
    })
}

/// Orders with a customer and lines: objects and arrays inside each row.
pub fn nested_orders(bytes: usize) -> String {
    array(2, bytes, |rng, id, out| {
        let _ = write!(
            out,
            r#"{{"order_id":"ORD-{id:06}","customer":{{"name":"{} {}","address":{{"street":"{} {} St","city":"{}","zip":"{:05}"}}}},"lines":["#,
            pick(rng, NAMES),
            pick(rng, SURNAMES),
            rng.u32(1..999),
            pick(rng, SURNAMES),
            pick(rng, CITIES),
            rng.u32(..99999),
        );
        for line in 0..rng.u32(1..5) {
            let comma = if line > 0 { "," } else { "" };
            let (sku, quantity, price) = (rng.u32(1000..9999), rng.u32(1..9), rng.u32(100..99999));
            let _ = write!(
                out,
                r#"{comma}{{"sku":"SKU-{sku}","quantity":{quantity},"price":{}.{:02}}}"#,
                price / 100,
                price % 100,
            );
        }
        let status = pick(rng, &["open", "paid", "shipped", "returned"]);
        let _ = write!(out, r#"],"status":"{status}","gift":{},"note":null}}"#, rng.bool());
    })
}

/// An API's issue list: long rows with nested users, labels and text.
pub fn issue_list(bytes: usize) -> String {
    array(3, bytes, |rng, number, out| {
        let base = format!("https://api.example.com/repos/acme/widgets/issues/{number}");
        let login = pick(rng, NAMES).to_lowercase();
        let _ = write!(
            out,
            r#"{{"url":"{base}","comments_url":"{base}/comments","id":{},"number":{number},"title":"{}","user":{{"login":"{login}","id":{},"type":"User","site_admin":false}},"labels":["#,
            1_000_000 + number * 37,
            sentence(rng, 8),
            rng.u32(1..99999),
        );
        for label in 0..rng.usize(..3) {
            let comma = if label > 0 { "," } else { "" };
            let name = pick(rng, &["bug", "enhancement", "help wanted", "docs"]);
            let _ =
                write!(out, r#"{comma}{{"name":"{name}","color":"{:06x}"}}"#, rng.u32(..0xff_ffff));
        }
        let (day, hour) = (rng.u32(1..28), rng.u32(..24));
        let _ = write!(
            out,
            r#"],"state":"{}","locked":false,"assignee":null,"comments":{},"created_at":"2026-03-{day:02}T{hour:02}:15:00Z","body":"{}\n\n{}"}}"#,
            pick(rng, &["open", "closed"]),
            rng.u32(..40),
            sentence(rng, 20),
            sentence(rng, 14),
        );
    })
}

/// A structured log: most events share their keys, some have one more.
pub fn event_log(bytes: usize) -> String {
    array(4, bytes, |rng, second, out| {
        let level = pick(rng, &["INFO", "INFO", "INFO", "WARN", "ERROR"]);
        let _ = write!(
            out,
            r#"{{"ts":"2026-05-01T{:02}:{:02}:{:02}.{:03}Z","level":"{level}","service":"{}","path":"/api/v1/{}/{}","status":{}"#,
            second / 3600 % 24,
            second / 60 % 60,
            second % 60,
            rng.u32(..1000),
            pick(rng, &["gateway", "billing", "search", "auth"]),
            pick(rng, &["users", "orders", "items"]),
            rng.u32(1..5000),
            pick(rng, &["200", "200", "201", "404", "500"]),
        );
        if rng.u8(..3) == 0 {
            let _ = write!(out, r#","latency_ms":{}"#, rng.u32(1..900));
        }
        if level == "ERROR" {
            let _ = write!(out, r#","error":"{}""#, sentence(rng, 6));
        }
        out.push('}');
    })
}

fn array(seed: u64, bytes: usize, mut row: impl FnMut(&mut Rng, u32, &mut String)) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut out = String::from("[");
    let mut index = 0;
    while out.len() < bytes {
        if index > 0 {
            out.push(',');
        }
        index += 1;
        row(&mut rng, index, &mut out);
    }
    out.push(']');
    out
}

fn sentence(rng: &mut Rng, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| pick(rng, WORDS)).collect();
    words.join(" ")
}

fn pick(rng: &mut Rng, from: &'static [&'static str]) -> &'static str {
    from[rng.usize(..from.len())]
}

const NAMES: &[&str] = &["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "John"];
const SURNAMES: &[&str] = &["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Allen"];
const CITIES: &[&str] = &["London", "New York", "São Paulo", "Zürich", "Nairobi", "Tokyo", "Pune"];
const WORDS: &[&str] = &[
    "the", "request", "fails", "when", "a", "client", "sends", "an", "empty", "body", "after",
    "restart", "and", "server", "returns", "error", "timeout", "in", "(see", "docs)", "v2.1:",
    "cache,", "is", "stale",
];
