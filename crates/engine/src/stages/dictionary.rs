//! Dictionary compression: what occurs again and again is said once, and named.
//!
//! ```
//! use tokenforge_engine::internals::dictionary::{self, DictionaryMethod};
//! use tokenforge_tokens::Counter;
//!
//! let text = ["alpha", "beta", "gamma", "delta", "epsilon"]
//!     .map(|name| format!("error: repeated dependency resolution failure, giving up after 3 attempts in crate {name}\n"))
//!     .concat();
//! let encoded = dictionary::encode(&text, DictionaryMethod::Lzw, &Counter::default()).unwrap();
//! assert!(encoded.starts_with("[Forge LZW Dictionary]\n<<F1:1>> = \"error: repeated dependency"));
//! assert_eq!(dictionary::decode(&encoded, 10_000).unwrap(), text);
//! ```
//!
//! Bounded, as documented: texts over 50,000 bytes are skipped; at most 20 entries, each of which occurs three times
//! or more and saves 16 bytes or more; the whole must save bytes, and tokens: about one in fifty, since a dictionary
//! makes a text harder to read. Nothing that has a dictionary's header in it is compressed.
//!
//! | file | its one idea |
//! |---|---|
//! | `cuts` | where a tokenizer would cut a text |
//! | `lexemes` | what is between the cuts, ready to be searched |
//! | `repeats` | which sequences of lexemes occur again and again |
//! | `choose` | which of them save most tokens |
//! | `taken_lexemes` | what is left of a repeat when others have been chosen |
//! | `notation` | the printed form, and how it is written |
//! | `expand` | the printed form read back |

mod choose;
mod cuts;
mod expand;
mod lexemes;
mod notation;
mod repeats;
mod taken_lexemes;

use crate::fidelity::Fidelity;
use crate::settings::Settings;
use crate::stage::{Stage, StageContext, StageOutput, TextLayer};
use std::fmt;
use std::str::FromStr;

use lexemes::Lexemes;
use notation::{DictionaryNotation, DictionaryStyle, LZW, REPAIR};
use tokenforge_tokens::Counter;

const MAX_INPUT: usize = 50_000;
const MAX_ENTRIES: usize = 20;
const MIN_OCCURRENCES: usize = 3;
const MIN_SAVED_BYTES: i64 = 16;

/// Repeated strings named once.
pub(super) struct Dictionary;

impl Stage for Dictionary {
    fn name(&self) -> &'static str {
        "dictionary"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let Settings { method, counter, .. } = subject.settings;
        let text = encode(text, *method, counter)?;
        Some(StageOutput { layer: TextLayer::Dictionary, ..text.into() })
    }

    fn layer(&self) -> TextLayer {
        TextLayer::Dictionary
    }

    fn has_written(&self, text: &str) -> bool {
        is_dictionary(text)
    }

    fn decode(&self, text: &str) -> Option<String> {
        decode(text, tokenforge_formats::MAX_OUTPUT).ok()
    }
}

/// How repeats are found and which of the two printed forms they are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum DictionaryMethod {
    /// Repeats within a line.
    #[default]
    Lzw,
    /// Repeats of up to two line ends.
    Repair,
    /// Both, and the one with fewer tokens is kept.
    Auto,
}

impl DictionaryMethod {
    /// Every method.
    pub const ALL: &'static [Self] = &[Self::Lzw, Self::Repair, Self::Auto];

    /// The name, as a user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lzw => "lzw",
            Self::Repair => "repair",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for DictionaryMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DictionaryMethod {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL
            .iter()
            .copied()
            .find(|method| method.name() == name)
            .ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// A name that is no method's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dictionary method `{0}`, expected one of: lzw, repair, auto")]
pub struct UnknownMethod(String);

/// Why a text is no dictionary that can be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// It does not begin with a header.
    #[error("expected a dictionary header in the first line")]
    NoHeader,
    /// No entry follows the header.
    #[error("expected the first entry after the header")]
    NoEntry,
    /// An entry is not quoted as entries are.
    #[error("entry {number} is malformed")]
    BadEntry {
        /// The number of the entry.
        number: usize,
    },
    /// A marker names no entry.
    #[error("byte {offset} of the body has a marker without an entry")]
    UnknownMarker {
        /// Where, in bytes from the start of the body.
        offset: usize,
    },
    /// The text would be larger than the caller allows.
    #[error("the text is larger than {limit} bytes")]
    TooLarge {
        /// What the caller allows.
        limit: usize,
    },
}

/// Writes a text with a dictionary, if that has fewer tokens and fewer bytes.
pub fn encode(text: &str, method: DictionaryMethod, counter: &Counter) -> Option<String> {
    if text.len() > MAX_INPUT || notation::mentions_header(text) {
        return None;
    }
    let lexemes = Lexemes::new(text);
    let lzw = || attempt(LZW, &lexemes, counter);
    let repair = || attempt(REPAIR, &lexemes, counter);
    let encoded = match method {
        DictionaryMethod::Lzw => lzw(),
        DictionaryMethod::Repair => repair(),
        // Within one line there is nothing that only one of them would find.
        DictionaryMethod::Auto if !text.contains('\n') => lzw(),
        DictionaryMethod::Auto => match (lzw(), repair()) {
            (Some(lzw), Some(repair)) => Some(cheaper(lzw, repair, counter)),
            (lzw, repair) => lzw.or(repair),
        },
    }?;
    (encoded.len() < text.len() && counter.is_cheaper(&encoded, text)).then_some(encoded)
}

/// Reads a text written with either dictionary, if it has no more than `max_output` bytes.
pub fn decode(text: &str, max_output: usize) -> Result<String, DecodeError> {
    expand::expand_dictionary(text, max_output)
}

/// Does a text begin with a dictionary's header?
pub fn is_dictionary(text: &str) -> bool {
    notation::open(text).is_some()
}

/// The text with a dictionary of entries that are thought to pay, if there are any.
fn attempt(style: DictionaryStyle, lexemes: &Lexemes, counter: &Counter) -> Option<String> {
    let repeats = repeats::find(lexemes, style.max_newlines, choose::may_pay);
    if repeats.is_empty() {
        return None;
    }
    let notation = DictionaryNotation::unlike(lexemes.whole(), style);
    let entries = choose::choose(lexemes, repeats, &notation, counter)?;
    Some(notation.write(lexemes, &entries))
}

/// The text with fewer tokens, else with fewer bytes, else the first.
fn cheaper(first: String, second: String, counter: &Counter) -> String {
    let second_is_better = counter.is_cheaper(&second, &first)
        || second.len() < first.len() && !counter.is_cheaper(&first, &second);
    if second_is_better { second } else { first }
}
