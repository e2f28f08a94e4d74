//! References, authenticated by a keyed hash (a MAC): how a shortened result says where its original is, so that tool text cannot forge it.
//!
//! A reference is 128 bits of content hash and 32 bits of tag, both keyed by the installation. The same content has the
//! same reference on every turn, replica and restart that share the key, for every tenant. Without the key an attacker
//! can neither make one nor test a guess of what it stands for. It says nothing of a tenant: a renewed credential
//! must change no byte in mid-conversation. Who may fetch what it stands for is the store's matter, which keeps originals
//! by tenant.
//!
//! It is printed as a line of its own before the shortened text, `<<<SHADOW:shadow_xxx>>>`, and paid for on every
//! turn. Hence the spelling, 35 small letters. Means of 1,000 markers with their line end:
//!
//! | spelling of 160 bits | bytes | o200k | cl100k | qwen2 | mistral_v3 |
//! |---|---|---|---|---|---|
//! | decimal | 70 | 25.0 | 25.0 | 57.0 | 59.0 |
//! | small letters | 56 | 25.6 | 26.2 | 26.2 | 29.3 |
//! | base 62 | 48 | 26.0 | 26.9 | 27.6 | 30.3 |
//! | base 32, small | 53 | 27.0 | 27.5 | 28.5 | 31.3 |
//! | base 58 | 49 | 27.4 | 28.4 | 29.2 | 31.9 |
//! | hexadecimal | 61 | 30.9 | 30.8 | 43.2 | 45.6 |
//!
//! Decimal is half a token less where digits go by threes and twice the price where they go one by one. Letters of
//! one case also leave a model nothing to confuse: no `0` and `O`, no `1` and `l`.

use std::fmt;
use std::str::FromStr;

/// The name of the tool with which a model fetches an original.
pub const EXPAND_TOOL: &str = "expand_context";

/// The command with which a model does that in a shell.
pub const EXPAND_COMMAND: &str = "tokenforge expand";

/// What starts every reference.
const PREFIX: &str = "shadow_";
const OPENING: &str = "<<<SHADOW:";
const CLOSING: &str = ">>>";

/// 26^28 is above 2^128, 26^7 above 2^32.
const CONTENT_LETTERS: usize = 28;
const TAG_LETTERS: usize = 7;
const LETTERS: usize = CONTENT_LETTERS + TAG_LETTERS;

/// The secret under which references are made and checked: the same on every replica and after a restart.
#[derive(Clone)]
pub struct ReferenceSecret([u8; 32]);

impl ReferenceSecret {
    /// A key of random bytes, from a file or a shared store.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A key made from a secret text, as a person writes it into settings.
    pub fn from_secret(secret: &str) -> Self {
        Self(blake3::derive_key(
            "tokenforge 2026 reference key of a secret text",
            secret.as_bytes(),
        ))
    }

    /// Tells keys apart without telling one.
    pub fn fingerprint(&self) -> u64 {
        let hash = self.derive_key("tokenforge 2026 fingerprint of a reference key");
        hash.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
    }

    /// The key for one purpose.
    fn derive_key(&self, purpose: &str) -> [u8; 32] {
        blake3::derive_key(purpose, &self.0)
    }
}

impl fmt::Debug for ReferenceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReferenceSecret(..)")
    }
}

/// The name of an original. [`Display`](fmt::Display) writes `shadow_xxx`.
///
/// ```
/// use tokenforge_engine::reference::{Reference, ReferenceSecret};
///
/// let key = ReferenceSecret::from_secret("for the example");
/// let reference = Reference::of(&key, "a long tool output");
/// let shown = format!("{}\n3 of 900 lines", reference.marker());
///
/// let (found, rest) = Reference::leading(&shown).expect("there is a marker");
/// assert_eq!((found, rest), (reference, "3 of 900 lines"));
/// assert!(found.verify(&key));
/// assert!(!found.verify(&ReferenceSecret::from_secret("of another installation")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reference {
    content: u128,
    tag: u32,
}

impl Reference {
    /// The reference of an original: the same for the same key and text.
    pub fn of(key: &ReferenceSecret, original: &str) -> Self {
        let derived = key.derive_key("tokenforge 2026 reference content");
        let hash = blake3::keyed_hash(&derived, original.as_bytes());
        let content = hash.as_bytes().first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes));
        Self { content, tag: tag(key, content) }
    }

    /// Whether this reference was made under this key. Any other is text that a tool or a client wrote.
    pub fn verify(&self, key: &ReferenceSecret) -> bool {
        // Two words are compared in one instruction: the time tells nothing about where they differ.
        self.tag == tag(key, self.content)
    }

    /// What stands before a shortened text, on a line of its own: `<<<SHADOW:shadow_xxx>>>`, without the line end.
    pub fn marker(&self) -> String {
        format!("{OPENING}{self}{CLOSING}")
    }

    /// A shortened text as it is forwarded: under the marker, and under an [`ExpandHint`] if there is to be one.
    pub fn before(&self, text: &str, hint: Option<ExpandHint>) -> String {
        let marker = self.marker();
        match hint {
            Some(hint) => format!("{marker}\n{}\n{text}", hint.line()),
            None => format!("{marker}\n{text}"),
        }
    }

    /// The well-formed markers in a text, wherever they stand: clients wrap and escape what they show to a model. Only
    /// those that [`verify`](Self::verify) are ours.
    pub fn find_all(text: &str) -> impl Iterator<Item = Self> + '_ {
        let mut rest = text;
        std::iter::from_fn(move || {
            while let Some(at) = rest.find(OPENING) {
                let (found, behind) = match split_marker(&rest[at..]) {
                    Some((reference, behind)) => (Some(reference), behind),
                    None => (None, &rest[at + OPENING.len()..]),
                };
                rest = behind;
                if found.is_some() {
                    return found;
                }
            }
            None
        })
    }

    /// The reference whose marker is the first line of a text, and what follows that line and its [`ExpandHint`].
    pub fn leading(text: &str) -> Option<(Self, &str)> {
        let (reference, behind) = split_marker(text)?;
        let rest = if behind.is_empty() { behind } else { behind.strip_prefix('\n')? };
        let without = |hint: &ExpandHint| rest.strip_prefix(hint.line())?.strip_prefix('\n');
        Some((reference, ExpandHint::ALL.iter().find_map(without).unwrap_or(rest)))
    }
}

/// The line under a marker that says how to get the original, for models that are not told elsewhere. It is the same
/// for every reference, so that the marker is not paid for twice.
///
/// ```
/// use tokenforge_engine::reference::ExpandHint;
///
/// assert!(ExpandHint::Tool.line().contains("expand_context"));
/// assert!(ExpandHint::Command.line().contains("tokenforge expand"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpandHint {
    /// To call the tool, for a model that has it.
    Tool,
    /// To run the command, for a model that has a shell.
    Command,
    /// The same in 27 tokens instead of 36, for requests that are sent again and again.
    Shell,
}

impl ExpandHint {
    /// All of them.
    pub const ALL: [ExpandHint; 3] = [ExpandHint::Tool, ExpandHint::Command, ExpandHint::Shell];

    /// The line, without its end.
    #[must_use]
    pub fn line(self) -> &'static str {
        match self {
            ExpandHint::Tool => {
                "[Forge shortened this; expand_context(id, lines?, grep?, path?) with the id above gives the original]"
            }
            ExpandHint::Command => {
                "[Forge shortened this; `tokenforge expand ID [--lines A-B] [--grep REGEX] [--path PATH]` with the id above prints the original]"
            }
            ExpandHint::Shell => {
                "[Forge shortened this; `tokenforge expand ID [--lines A-B] [--grep RE]` prints all of it]"
            }
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = [b'a'; LETTERS];
        let (content, tag) = letters.split_at_mut(CONTENT_LETTERS);
        spell(self.content, content);
        spell(self.tag.into(), tag);
        f.write_str(PREFIX)?;
        letters.iter().try_for_each(|letter| fmt::Write::write_char(f, char::from(*letter)))
    }
}

/// Reads `shadow_xxx`, or a whole marker, since models copy either.
impl FromStr for Reference {
    type Err = NotAReference;

    fn from_str(text: &str) -> Result<Self, NotAReference> {
        let text = text.trim();
        let inner = text.strip_prefix(OPENING).and_then(|text| text.strip_suffix(CLOSING));
        match split_reference(inner.unwrap_or(text)) {
            Some((reference, "")) => Ok(reference),
            _ => Err(NotAReference),
        }
    }
}

/// A text that is not the name of an original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a reference: expected `shadow_` and 35 letters from a to z, as in `<<<SHADOW:shadow_...>>>`"
)]
pub struct NotAReference;

fn tag(key: &ReferenceSecret, content: u128) -> u32 {
    let derived = key.derive_key("tokenforge 2026 reference tag");
    let hash = blake3::keyed_hash(&derived, &content.to_be_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// Reads a marker at the start of a text: the reference, and what follows.
fn split_marker(text: &str) -> Option<(Reference, &str)> {
    let (reference, rest) = split_reference(text.strip_prefix(OPENING)?)?;
    Some((reference, rest.strip_prefix(CLOSING)?))
}

/// Reads `shadow_xxx` at the start of a text: the reference, and what follows.
fn split_reference(text: &str) -> Option<(Reference, &str)> {
    let (letters, rest) = text.strip_prefix(PREFIX)?.split_at_checked(LETTERS)?;
    let (content, tag) = letters.as_bytes().split_at_checked(CONTENT_LETTERS)?;
    let reference =
        Reference { content: read_letters(content)?, tag: read_letters(tag)?.try_into().ok()? };
    Some((reference, rest))
}

/// Writes a number in base 26, the lowest digit last.
fn spell(mut number: u128, letters: &mut [u8]) {
    for letter in letters.iter_mut().rev() {
        *letter = b'a' + (number % 26) as u8;
        number /= 26;
    }
}

/// Reads what [`spell`] writes. A number has one spelling: what is too large for it is refused.
fn read_letters(letters: &[u8]) -> Option<u128> {
    letters.iter().try_fold(0u128, |number, letter| {
        let digit = letter.checked_sub(b'a').filter(|digit| *digit < 26)?;
        number.checked_mul(26)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> ReferenceSecret {
        ReferenceSecret::from_bytes([7; 32])
    }

    fn reference() -> Reference {
        Reference::of(&key(), "the original")
    }

    #[test]
    fn c3_the_marker_is_printed_as_promised() {
        let marker = reference().marker();
        let id = marker.strip_prefix("<<<SHADOW:shadow_").unwrap().strip_suffix(">>>").unwrap();
        assert_eq!(id.len(), 35, "{marker}");
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase()), "{marker}");
    }

    #[test]
    fn c3_same_content_same_id() {
        assert_eq!(reference(), reference());
        assert_ne!(reference(), Reference::of(&key(), "another original"));
    }

    /// A changed spelling or hash would orphan every original that is stored.
    #[test]
    fn l5_the_spelling_is_stable_across_versions() {
        assert_eq!(reference().to_string(), "shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn");
    }

    #[test]
    fn g40_other_keys_have_other_ids_and_verify_none_of_ours() {
        let ours = reference();
        assert!(ours.verify(&key()));
        for other in [ReferenceSecret::from_bytes([8; 32]), ReferenceSecret::from_secret("secret")]
        {
            assert!(!ours.verify(&other));
            assert_ne!(Reference::of(&other, "the original"), ours);
            assert_ne!(other.fingerprint(), key().fingerprint());
        }
    }

    #[test]
    fn a_forged_id_does_not_verify() {
        let ours = reference();
        for bit in 0..128 {
            let forged = Reference { content: ours.content ^ (1 << bit), ..ours };
            assert!(!forged.verify(&key()), "content bit {bit}");
        }
        for bit in 0..32 {
            let forged = Reference { tag: ours.tag ^ (1 << bit), ..ours };
            assert!(!forged.verify(&key()), "tag bit {bit}");
        }
    }

    #[test]
    fn extremes_are_spelt_and_read_back() {
        for (content, tag) in [(0, 0), (u128::MAX, u32::MAX), (1, 0), (0, 1)] {
            let reference = Reference { content, tag };
            assert_eq!(reference.to_string().parse(), Ok(reference));
        }
        let too_large = format!("shadow_{}", "z".repeat(35));
        assert_eq!(too_large.parse::<Reference>(), Err(NotAReference));
    }

    #[test]
    fn what_is_almost_a_reference_is_refused() {
        let id = reference().to_string();
        let upper = id.to_uppercase();
        let longer = format!("{id}a");
        let open = format!("<<<SHADOW:{id}");
        let accented = format!("shadow_é{}", &id[9..]);
        for text in
            ["", "shadow_", &id[..id.len() - 1], &upper, &longer, &open, &accented, &id[7..]]
        {
            assert_eq!(text.parse::<Reference>(), Err(NotAReference), "{text}");
        }
    }

    #[test]
    fn a_model_may_give_the_id_or_the_whole_marker() {
        let reference = reference();
        for text in
            [reference.to_string(), reference.marker(), format!(" {}\n", reference.marker())]
        {
            assert_eq!(text.parse(), Ok(reference), "{text:?}");
        }
    }

    #[test]
    fn markers_are_found_wherever_a_client_puts_them() {
        let (one, other) = (reference(), Reference::of(&key(), "other"));
        let text = format!(
            "<<<SHADOW:shadow_xxx>>> <<<SHADOW:{}\n[{{'text': '{}\\nabc'}}]{} é",
            one.marker(),
            other.marker(),
            one.marker()
        );
        assert_eq!(Reference::find_all(&text).collect::<Vec<_>>(), [one, other, one]);
        assert_eq!(Reference::find_all("<<<SHADOW:<<<SHADOW:").count(), 0);
    }

    #[test]
    fn a_leading_marker_has_its_line_to_itself() {
        let reference = reference();
        let marker = reference.marker();
        assert_eq!(Reference::leading(&marker), Some((reference, "")));
        assert_eq!(Reference::leading(&format!("{marker}\n\nx\n")), Some((reference, "\nx\n")));
        for text in [format!("{marker} x"), format!("{marker}\r\nx"), format!("\n{marker}\n")] {
            assert_eq!(Reference::leading(&text), None, "{text:?}");
        }
    }

    #[test]
    fn c9_the_hint_is_one_line_of_ours_and_is_not_content() {
        let reference = reference();
        for hint in [None, Some(ExpandHint::Tool), Some(ExpandHint::Command)] {
            let shown = reference.before("content", hint);
            for line in ExpandHint::ALL {
                assert_eq!(shown.lines().any(|shown| shown == line.line()), hint == Some(line));
            }
            assert_eq!(Reference::leading(&shown), Some((reference, "content")));
        }
        assert!(ExpandHint::Tool.line().contains(EXPAND_TOOL));
        assert!(ExpandHint::Command.line().contains(EXPAND_COMMAND));
        assert!(ExpandHint::Shell.line().contains(EXPAND_COMMAND));
        for hint in ExpandHint::ALL.map(ExpandHint::line) {
            assert!(hint.starts_with("[Forge ") && !hint.contains('\n'));
        }
    }

    #[test]
    fn l10_a_key_does_not_show_itself() {
        assert_eq!(format!("{:?}", key()), "ReferenceSecret(..)");
    }
}
