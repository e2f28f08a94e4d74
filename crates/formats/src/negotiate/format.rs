//! The forms that can be asked for.

use std::fmt;
use std::str::FromStr;

/// A form that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// JSON, as it came.
    #[default]
    Json,
    /// TOON, where that is cheaper.
    Toon,
    /// STC, where that is cheaper.
    Stc,
    /// Whatever is cheapest.
    Auto,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Json, Self::Toon, Self::Stc, Self::Auto];

    /// The name in headers and settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Toon => "toon",
            Self::Stc => "stc",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a name, in any case.
impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let is_named = |format: &Self| format.name().eq_ignore_ascii_case(name.trim());
        Self::ALL.iter().copied().find(is_named).ok_or(UnknownFormat)
    }
}

/// A name that is no format's. It is not repeated here: a header may hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected one of json, toon, stc and auto")]
pub struct UnknownFormat;
