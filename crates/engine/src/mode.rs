//! Compression modes: how much may be done to a tool output.

use std::fmt;
use std::str::FromStr;

/// How much is done to tool outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Nothing.
    Disabled,
    /// Everything is measured as in `standard`, and the original is forwarded.
    Observe,
    /// Secrets, terminal escapes and binary removed, what is far too long capped.
    Safe,
    /// Every lossless and cosmetic stage, and nothing else.
    Lossless,
    /// `safe` and `lossless`, and what tool-family filters leave out where it can be fetched back.
    #[default]
    Standard,
    /// `standard`, log normalisation and a dictionary of repeated strings.
    Aggressive,
}

impl Mode {
    /// All modes, from the least to the most that is done.
    pub const ALL: [Mode; 6] = [
        Mode::Disabled,
        Mode::Observe,
        Mode::Safe,
        Mode::Lossless,
        Mode::Standard,
        Mode::Aggressive,
    ];

    /// The name users write.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Disabled => "disabled",
            Mode::Observe => "observe",
            Mode::Safe => "safe",
            Mode::Lossless => "lossless",
            Mode::Standard => "standard",
            Mode::Aggressive => "aggressive",
        }
    }

    /// Are secrets, binary and overlong outputs dealt with?
    #[must_use]
    pub fn is_safe(self) -> bool {
        matches!(self, Mode::Observe | Mode::Safe | Mode::Standard | Mode::Aggressive)
    }

    /// Do the lossless stages run?
    #[must_use]
    pub fn compacts(self) -> bool {
        matches!(self, Mode::Observe | Mode::Lossless | Mode::Standard | Mode::Aggressive)
    }

    /// May something be left out, where the original can be fetched back?
    #[must_use]
    pub fn leaves_out(self) -> bool {
        matches!(self, Mode::Observe | Mode::Standard | Mode::Aggressive)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode {0:?}; there are disabled, observe, safe, lossless, standard and aggressive")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}
