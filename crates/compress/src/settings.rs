//! What the caller asks for.

use crate::dictionary::Method;
use crate::mode::Mode;
use crate::reference::Hint;
use crate::tool::SkipTools;
use std::hash::{DefaultHasher, Hash, Hasher};
use tokenforge_formats::Form;
use tokenforge_tokens::Counter;

/// Outputs below this many bytes are left as they are by all but redaction: nothing is to be gained.
pub const FLOOR_BYTES: usize = 128;

/// Outputs above this many bytes are only redacted and capped: a bound on work and memory.
pub const CEILING_BYTES: usize = 16 << 20;

/// The cap unless told otherwise.
pub const DEFAULT_MAX_OUTPUT_BYTES: usize = 65_536;

/// The highest cap that a request may ask for.
pub const LARGEST_MAX_OUTPUT_BYTES: usize = 1_048_576;

/// What is to be done to tool outputs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How much is done.
    pub mode: Mode,
    /// Which dictionary method the aggressive mode uses.
    pub method: Method,
    /// Are secrets removed? In every mode but `disabled` and `lossless`.
    pub redact_secrets: bool,
    /// How many bytes of an output are kept, by the modes that cap.
    pub max_output_bytes: usize,
    /// The forms that JSON may take.
    pub json_formats: Vec<Form>,
    /// The line behind a reference that says how to use it, if there is to be one.
    pub expand_hint: Option<Hint>,
    /// Tools whose results are only redacted.
    pub skip_tools: SkipTools,
    /// Who counts the tokens.
    pub counter: Counter,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mode: Mode::default(),
            method: Method::default(),
            redact_secrets: true,
            max_output_bytes: DEFAULT_MAX_OUTPUT_BYTES,
            json_formats: Form::ALL.to_vec(),
            expand_hint: None,
            skip_tools: SkipTools::default(),
            counter: Counter::default(),
        }
    }
}

impl Settings {
    /// Tells settings apart that may lead to another text; `dedup` is the session's part of them.
    #[must_use]
    pub fn fingerprint(&self, dedup: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        let Settings {
            mode,
            method,
            redact_secrets,
            max_output_bytes,
            json_formats,
            expand_hint,
            skip_tools,
            counter,
        } = self;
        (mode, method, redact_secrets, max_output_bytes, expand_hint, dedup).hash(&mut hasher);
        format!("{json_formats:?} {skip_tools:?} {counter:?}").hash(&mut hasher);
        hasher.finish()
    }
}
