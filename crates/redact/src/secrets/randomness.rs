//! Randomness (entropy) of a value: does it look drawn at random, or written by a person as an example, a name or a piece of code?

/// Words that people write where a secret would go. A random value has one of them once in ten thousand times.
const PLACEHOLDERS: [&str; 27] = [
    "12345678",
    "abcdef",
    "change",
    "config",
    "credential",
    "default",
    "disabled",
    "dummy",
    "enabled",
    "environ",
    "example",
    "getenv",
    "insert",
    "lorem",
    "null",
    "password",
    "placeholder",
    "process.env",
    "qwerty",
    "redacted",
    "sample",
    "string",
    "test",
    "undefined",
    "value",
    "xxxx",
    "your",
];

/// Words that are in poor passwords, and in names more often.
const WORDS: [&str; 10] = [
    "admin",
    "correct",
    "false",
    "hello",
    "hidden",
    "hunter",
    "letmein",
    "localhost",
    "passw",
    "secret",
];

/// Bytes of each kind in a value.
#[derive(Default)]
struct CharacterKinds {
    lower: usize,
    upper: usize,
    digit: usize,
    symbol: usize,
    /// How often a digit and a letter follow each other, separators aside.
    turns: usize,
}

/// A key or token: long, even, with digits scattered between the letters.
pub(crate) fn is_random(value: &str) -> bool {
    let kinds = CharacterKinds::of(value);
    value.len() >= 16
        && kinds.lower + kinds.upper >= 3
        && kinds.turns >= 3
        && entropy(value) >= 3.0
        && !is_made_up(value)
        && !contains_any(value, &WORDS)
        && !contains_any(value, &["token"])
        && !is_uuid(value)
        && !value.starts_with("pk_") // published on purpose
}

/// A password: shorter, with several kinds of characters. Where code may stand, it must not look like a name in it.
pub(crate) fn is_password(value: &str, is_literal: bool) -> bool {
    let kinds = CharacterKinds::of(value);
    let is_varied = if is_literal { kinds.number() >= 3 } else { kinds.symbol > 0 };
    value.len() >= 8
        && kinds.lower + kinds.upper > 0
        && kinds.digit > 0
        && (is_varied || kinds.turns >= 3)
        && entropy(value) >= 2.5
        && !is_made_up(value)
        && (kinds.number() == 4 || !contains_any(value, &WORDS))
}

/// Letters and digits in one value, and not a placeholder: enough where the place already says that it is a secret.
pub(crate) fn is_mixed(value: &str) -> bool {
    let kinds = CharacterKinds::of(value);
    kinds.digit + kinds.upper > 0
        && kinds.lower + kinds.upper > 0
        && !is_made_up(value)
        && !contains_any(value, &["token"])
}

/// Bits per byte by how often each byte occurs.
pub(crate) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let bits = |count: u32| -f64::from(count) / length * (f64::from(count) / length).log2();
    counts.into_iter().filter(|&count| count > 0).map(bits).sum()
}

/// A row of `x` or `*` where the secret would be.
pub(crate) fn is_masked(value: &str) -> bool {
    ["xxxx", "XXXX", "****", "...", "…", "•"].iter().any(|mask| value.contains(mask))
}

/// A variable, a template, a path or a placeholder.
pub(crate) fn is_made_up(value: &str) -> bool {
    is_masked(value) || is_reference(value) || contains_any(value, &PLACEHOLDERS)
}

fn is_reference(value: &str) -> bool {
    let is_variable = |rest: &str| {
        rest.starts_with(|first: char| first.is_ascii_alphabetic() || "_{($".contains(first))
    };
    value.strip_prefix('$').is_some_and(is_variable)
        || ["/", "./", "../", "~/", "@/", "%", "#", "&"]
            .iter()
            .any(|start| value.starts_with(start))
        || ["${", "$(", "{{", "#{", "%{", "%(", "<", ">", "://", "::", "->", "()"]
            .iter()
            .any(|code| value.contains(code))
}

fn contains_any(value: &str, words: &[&str]) -> bool {
    let lower = value.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// An identifier, far more often than a secret.
fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_alphanumeric(),
        })
}

impl CharacterKinds {
    /// How many kinds there are.
    fn number(&self) -> usize {
        [self.lower, self.upper, self.digit, self.symbol].iter().filter(|&&count| count > 0).count()
    }

    fn of(value: &str) -> Self {
        let mut kinds = Self::default();
        let mut last_was_digit = None;
        for byte in value.bytes() {
            let is_digit = byte.is_ascii_digit();
            match byte {
                b'0'..=b'9' => kinds.digit += 1,
                b'a'..=b'z' => kinds.lower += 1,
                b'A'..=b'Z' => kinds.upper += 1,
                b'_' | b'-' | b'.' | b'/' => continue,
                _ => {
                    kinds.symbol += 1;
                    continue;
                }
            }
            kinds.turns += usize::from(last_was_digit.is_some_and(|last: bool| last != is_digit));
            last_was_digit = Some(is_digit);
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_are_told_from_names_and_placeholders() {
        for random in
            ["9f86d081884c7d659a2feaa0c55ad015", "k8Jq2vN4xT7pL0wZ", "Zm9vYmFyMTIz+4Qx9/LpT2=="]
        {
            assert!(is_random(random), "{random}");
        }
        for other in [
            "my-service-account-2024",
            "getUserFromHeader2",
            "x86_64-unknown-linux-gnu",
            "550e8400-e29b-41d4-a716-446655440000",
            "${K8S_T0K3N_N4ME_HERE}",
            "/run/s3cr3ts/d4t4b4se",
            "your-a1b2c3d4e5f6-key",
            "a1a1a1a1a1a1a1a1a1a1",
        ] {
            assert!(!is_random(other), "{other}");
        }
    }

    #[test]
    fn passwords_are_told_from_words_and_code() {
        assert!(is_password("tr0ub4dor&3", true) && is_password("tr0ub4dor&3", false));
        assert!(is_password("Gr33nTea", true));
        assert!(is_password("SuperSecret123!", true) && !is_password("supersecret123", true));
        for other in
            ["hunter2", "userInput2", "Password123!", "correcthorse", "$DB_PASS_1", "12345678"]
        {
            assert!(!is_password(other, false), "{other}");
        }
    }

    #[test]
    fn entropy_is_in_bits_per_byte() {
        assert_eq!(entropy("aaaa"), 0.0);
        assert_eq!(entropy("abab"), 1.0);
        assert_eq!(entropy("abcd"), 2.0);
        assert_eq!(entropy(""), 0.0);
    }
}
