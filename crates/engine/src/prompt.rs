//! JSON in prompt context: a message that is one large JSON value becomes TOON where that costs less.
//!
//! Callers give whole texts of messages: user text and tool results. Never schemas, arguments of calls, envelopes
//! or stored originals. Nothing is lost: what was converted decodes to the minified JSON, byte for byte.

use tokenforge_formats::{Form, Json, Refusal};
use tokenforge_tokens::Counter;

/// When and how to convert. The default is not to.
///
/// | field | environment | default |
/// |---|---|---|
/// | `enabled` | `TOON_ENABLED` | false |
/// | `min_bytes` | `TOON_MIN_BYTES` | 4096 |
/// | `fail_open` | `TOON_FAIL_OPEN` | true |
/// | `log_stats` | `TOON_LOG_STATS` | true |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptSettings {
    /// Convert at all.
    pub enabled: bool,
    /// Texts up to this many bytes stay.
    pub min_bytes: usize,
    /// A text that TOON cannot hold goes on as it is; otherwise it is an error.
    pub fail_open: bool,
    /// The caller is to log the [`PromptStats`] of what was converted.
    pub log_stats: bool,
}

impl Default for PromptSettings {
    fn default() -> Self {
        Self { enabled: false, min_bytes: 4096, fail_open: true, log_stats: true }
    }
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptOutcome {
    /// This text goes on in its place.
    Converted {
        /// The TOON.
        text: String,
        /// What that saves.
        stats: PromptStats,
    },
    /// The text goes on as it is.
    Kept(PromptReason),
}

/// The size of a text before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptStats {
    /// Bytes of the JSON, as it was.
    pub original_bytes: usize,
    /// Bytes of the TOON.
    pub compressed_bytes: usize,
    /// Tokens of the JSON, as it was.
    pub original_tokens: usize,
    /// Tokens of the TOON.
    pub compressed_tokens: usize,
}

/// Why a text was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PromptReason {
    /// Conversion is off.
    Disabled,
    /// The text is not wholly a JSON object or array.
    NotJson,
    /// The text is not above the threshold.
    SkippedBySize,
    /// TOON would have more bytes or no fewer tokens, or more tokens than minified JSON.
    SkippedByGrowth,
    /// TOON cannot hold the value, and failures are open.
    Failure,
    /// TOON holds the value but not its spelling: decoding would not give back the same JSON.
    Mismatch,
}

impl PromptReason {
    /// The name under which it is counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NotJson => "notJson",
            Self::SkippedBySize => "skippedBySize",
            Self::SkippedByGrowth => "skippedByGrowth",
            Self::Failure => "failure",
            Self::Mismatch => "mismatch",
        }
    }
}

/// A text that TOON cannot hold, where failures are not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the JSON cannot be converted to TOON: {0}; TOON_FAIL_OPEN=true would send it as it is")]
pub struct PromptError(#[from] Refusal);

/// Converts the text of a message to TOON where that is allowed, lossless and cheaper.
///
/// ```
/// use tokenforge_engine::prompt::{PromptOutcome, PromptSettings, convert};
/// use tokenforge_tokens::Counter;
///
/// let settings = PromptSettings { enabled: true, min_bytes: 32, ..PromptSettings::default() };
/// let text = r#"{"rows": [{"id": 1, "ok": true}, {"id": 2, "ok": false}]}"#;
/// let PromptOutcome::Converted { text, .. } = convert(text, &settings, Counter::default())? else {
///     panic!("this pays");
/// };
/// assert_eq!(text, "rows[2]{id,ok}:\n  1,true\n  2,false");
/// # Ok::<(), tokenforge_engine::prompt::PromptError>(())
/// ```
pub fn convert(
    text: &str,
    settings: &PromptSettings,
    counter: Counter,
) -> Result<PromptOutcome, PromptError> {
    if !settings.enabled {
        return Ok(PromptOutcome::Kept(PromptReason::Disabled));
    }
    if !text.trim_ascii_start().starts_with(['{', '[']) {
        return Ok(PromptOutcome::Kept(PromptReason::NotJson));
    }
    if text.len() <= settings.min_bytes {
        return Ok(PromptOutcome::Kept(PromptReason::SkippedBySize));
    }
    let Ok(json) = Json::parse(text) else { return Ok(PromptOutcome::Kept(PromptReason::NotJson)) };
    match Form::Toon.encode(&json) {
        Ok(toon) => Ok(judge(&json, toon.into_owned(), counter)),
        Err(_) if settings.fail_open => Ok(PromptOutcome::Kept(PromptReason::Failure)),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Takes the TOON only if it is smaller by every measure and decodes to what it stands for.
fn judge(json: &Json<'_>, toon: String, counter: Counter) -> PromptOutcome {
    let (text, minified) = (json.text(), json.minify());
    if toon.len() > text.len()
        || !counter.is_cheaper(&toon, text)
        || counter.is_cheaper(&minified, &toon)
    {
        return PromptOutcome::Kept(PromptReason::SkippedByGrowth);
    }
    if Form::Toon.decode(&toon, minified.len()).as_deref() != Ok(&*minified) {
        return PromptOutcome::Kept(PromptReason::Mismatch);
    }
    let stats = PromptStats {
        original_bytes: text.len(),
        compressed_bytes: toon.len(),
        original_tokens: counter.count(text),
        compressed_tokens: counter.count(&toon),
    };
    PromptOutcome::Converted { text: toon, stats }
}
