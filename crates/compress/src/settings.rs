//! What the caller asks for.

use crate::dictionary::Method;
use crate::mode::Mode;
use crate::reference::Hint;
use crate::tool::SkipTools;
use std::hash::{DefaultHasher, Hash, Hasher};
use tokenforge_formats::Form;
use tokenforge_formats::stc2::Level;
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
    /// Where STC is among them: may it be version 2?
    pub stc2: Stc2,
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
            stc2: Stc2::default(),
            expand_hint: None,
            skip_tools: SkipTools::default(),
            counter: Counter::default(),
        }
    }
}

impl Settings {
    /// The forms that JSON may take, with the version and level of STC that the reader gets.
    #[must_use]
    pub fn json_forms(&self) -> Vec<Form> {
        let mut forms = self.json_formats.clone();
        for form in &mut forms {
            if *form == Form::Stc {
                *form = self.stc_form();
            }
        }
        forms
    }

    /// The STC that the reader gets.
    #[must_use]
    pub fn stc_form(&self) -> Form {
        match self.stc2 {
            Stc2::Never => Form::Stc,
            Stc2::Auto if self.mode == Mode::Aggressive => Form::Stc2(Level::Shared),
            Stc2::Auto => Form::Stc2(Level::Nested),
            Stc2::Nested => Form::Stc2(Level::Nested),
            Stc2::Shared => Form::Stc2(Level::Shared),
        }
    }

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
            stc2,
            expand_hint,
            skip_tools,
            counter,
        } = self;
        (mode, method, redact_secrets, max_output_bytes, expand_hint, dedup).hash(&mut hasher);
        (stc2, json_formats, skip_tools, counter).hash(&mut hasher);
        hasher.finish()
    }
}

/// May JSON become STC 2, and how much does it factor out?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stc2 {
    /// No: the reader knows STC 1.
    Never,
    /// So much that a header explains its rows, to a model that never saw it; in the mode `aggressive` as much as there is.
    #[default]
    Auto,
    /// Level 2 in every mode.
    Nested,
    /// Level 3 in every mode: also prefixes, templates, ditto marks and references.
    Shared,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_decides_how_much_stc_2_factors_out() {
        let settings = |mode, stc2| Settings { mode, stc2, ..Settings::default() };
        let standard = settings(Mode::Standard, Stc2::Auto);
        assert_eq!(standard.stc_form(), Form::Stc2(Level::Nested));
        let aggressive = settings(Mode::Aggressive, Stc2::Auto);
        assert_eq!(aggressive.stc_form(), Form::Stc2(Level::Shared));
        assert_eq!(settings(Mode::Aggressive, Stc2::Never).stc_form(), Form::Stc);
        assert_eq!(settings(Mode::Standard, Stc2::Shared).stc_form(), Form::Stc2(Level::Shared));
    }

    #[test]
    fn without_stc_there_is_no_stc_2() {
        let settings = Settings { json_formats: vec![Form::Toon], ..Settings::default() };
        assert_eq!(settings.json_forms(), [Form::Toon]);
    }
}
