//! Settings that are one of a few names.

/// A value that users write as one of a few names.
///
/// ```
/// use tokenforge_config::{Choice, SchemaCompression};
///
/// assert_eq!(SchemaCompression::parse("minify")?, SchemaCompression::Minify);
/// let wrong = SchemaCompression::parse("zip").unwrap_err();
/// assert_eq!(wrong.to_string(), "expected disabled, minify or compact, found `zip`");
/// # Ok::<(), tokenforge_config::UnknownChoice>(())
/// ```
pub trait Choice: Copy + PartialEq + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// The name users write.
    fn name(self) -> &'static str;

    /// The value of that name.
    ///
    /// # Errors
    /// There is none; the message lists those there are.
    fn parse(name: &str) -> Result<Self, UnknownChoice> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.name() == name)
            .ok_or_else(|| UnknownChoice { allowed: Self::allowed(), found: name.to_owned() })
    }

    /// All names, in words.
    fn allowed() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|choice| choice.name()).collect();
        match names.as_slice() {
            [] => String::new(),
            [only] => (*only).to_owned(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        }
    }
}

/// A name that is none of those allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {allowed}, found `{found}`")]
pub struct UnknownChoice {
    /// The names there are.
    pub allowed: String,
    /// The name given.
    pub found: String,
}

impl Choice for tokenforge_engine::Mode {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Choice for tokenforge_engine::DictionaryMethod {
    const ALL: &'static [Self] = Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Choice for tokenforge_formats::negotiate::Format {
    const ALL: &'static [Self] = Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }
}
