//! Ids and signatures that tell whether they came back as they were handed out.
//!
//! An id of a call carries a checksum over the call's name and arguments; a signature is a checksum over the text that it
//! signs. So the mock needs no memory to see that a gateway changed something, and a restart changes nothing.

use serde_json::Value;

/// What stands in every id and signature that the mock made.
const MARK: &str = "mk";

/// What an id tells about its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Another provider made it, or a test.
    Foreign,
    /// The mock made it for this very call.
    Own {
        /// The reply it was part of.
        reply: u64,
        /// The model thought before it called.
        thought: bool,
    },
    /// The mock made it, but the id, the name or the arguments are no longer those it handed out.
    Changed,
}

/// An id for a call: `toolu_01mkt0000001200c0ffee00c0ffee`.
pub(crate) fn call_id(
    prefix: &str,
    reply: u64,
    index: usize,
    thought: bool,
    name: &str,
    arguments: &str,
) -> String {
    let nonce = format!("{reply:06x}{:02x}", index & 0xff);
    let thought = if thought { 't' } else { 'n' };
    let sum = call_sum(&nonce, thought, name, &canonical(arguments));
    format!("{prefix}{MARK}{thought}{nonce}{sum:016x}")
}

/// Whether `id` is the mock's and still belongs to a call of `name` with `arguments` (JSON text).
pub(crate) fn origin(prefix: &str, id: &str, name: &str, arguments: &str) -> Origin {
    let Some(rest) = id.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(MARK)) else {
        return Origin::Foreign;
    };
    let read = || {
        let thought = rest.chars().next().filter(|c| matches!(c, 't' | 'n'))?;
        let nonce = rest.get(1..9)?;
        let sum = u64::from_str_radix(rest.get(9..)?, 16).ok()?;
        let reply = u64::from_str_radix(nonce.get(..6)?, 16).ok()?;
        // What the model wrote may have been no JSON; then the client had to send something else.
        let intact = [canonical(arguments), unreadable()]
            .iter()
            .any(|arguments| call_sum(nonce, thought, name, arguments) == sum);
        intact.then_some(Origin::Own { reply, thought: thought == 't' })
    };
    read().unwrap_or(Origin::Changed)
}

/// A signature over what a model thought: valid base64, as the providers' are.
pub(crate) fn signature(text: &str) -> String {
    let mut signature = String::from("MOCK");
    for round in 0..8_u8 {
        signature += &format!("{:016x}", sum(&[&[round], text.as_bytes()]));
    }
    signature
}

/// Whether `signature` is the one over `text`.
pub(crate) fn is_signature(text: &str, signature: &str) -> bool {
    self::signature(text) == signature
}

/// A text that only the mock can read: hex, which is base64 as well.
pub(crate) fn hidden(text: &str) -> String {
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{}{hex}", signature(&hex))
}

/// Whether this is a text that the mock hid.
pub(crate) fn is_hidden(hidden: &str) -> bool {
    let end = signature("").len();
    hidden.split_at_checked(end).is_some_and(|(signature, hex)| is_signature(hex, signature))
}

/// FNV-1a over several texts, kept apart from each other.
pub(crate) fn sum(texts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for &byte in text.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash ^ (hash >> 29)
}

fn call_sum(nonce: &str, thought: char, name: &str, arguments: &str) -> u64 {
    let thought = [thought as u8];
    sum(&[nonce.as_bytes(), &thought, name.as_bytes(), arguments.as_bytes()])
}

/// The same text for the same arguments, whatever their spelling and the order of their keys.
fn canonical(arguments: &str) -> String {
    serde_json::from_str(arguments).map_or_else(|_| unreadable(), |value| sorted(&value))
}

fn unreadable() -> String {
    "not JSON".to_owned()
}

/// The depth is bounded by the reader of JSON.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(key, value)| format!("{key:?}:{}", sorted(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(","))
        }
        // Clients in JavaScript write 1.0 as 1.
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |n| n.to_string())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_own_call_s_only() {
        let id = call_id("toolu_01", 7, 1, true, "Bash", r#"{"a": 1.0, "b": [true]}"#);
        let own = Origin::Own { reply: 7, thought: true };
        assert_eq!(origin("toolu_01", &id, "Bash", r#"{"b":[true],"a":1}"#), own);
        assert_eq!(origin("toolu_01", &id, "bash", r#"{"b":[true],"a":1}"#), Origin::Changed);
        assert_eq!(origin("toolu_01", &id, "Bash", r#"{"b":[true],"a":2}"#), Origin::Changed);
        assert_eq!(origin("toolu_01", &id.replace("mkt", "mkn"), "Bash", "{}"), Origin::Changed);
        assert_eq!(origin("toolu_01", &id[..id.len() - 1], "Bash", "{}"), Origin::Changed);
        assert_eq!(origin("toolu_01", "toolu_01mké", "Bash", "{}"), Origin::Changed);
        assert_eq!(origin("toolu_01", "toolu_01abc", "Bash", "{}"), Origin::Foreign);
    }

    #[test]
    fn arguments_that_are_no_json_may_come_back_as_anything() {
        let id = call_id("call_", 1, 0, false, "Bash", r#"{"a":"#);
        let own = Origin::Own { reply: 1, thought: false };
        assert_eq!(origin("call_", &id, "Bash", "{}"), own);
        assert_eq!(origin("call_", &id, "Bash", r#"{"a":"#), own);
        assert_eq!(origin("call_", &id, "Read", "{}"), Origin::Changed);
    }

    #[test]
    fn a_signature_is_over_every_byte() {
        assert!(is_signature("think", &signature("think")));
        assert!(!is_signature("thinK", &signature("think")));
        assert_eq!(signature("").len() % 4, 0);
        assert!(is_hidden(&hidden("think")));
        assert!(!is_hidden(&hidden("think").replace('7', "8")) && !is_hidden("ä"));
    }
}
