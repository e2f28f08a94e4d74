//! The level that costs the fewest tokens.

use super::{HEADER, Level, encode};
use std::borrow::Cow;
use tokenforge_json::tape::Json;
use tokenforge_tokens::Counter;

/// A text that was weighed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LightestText<'a> {
    /// The level it is written in; `None` for minified JSON.
    pub level: Option<Level>,
    /// The text; [`decode`](super::decode) reads it either way.
    pub text: Cow<'a, str>,
    /// Its tokens.
    pub tokens: usize,
}

/// The lightest of some levels and of minified JSON by tokens; never above minified JSON.
///
/// A deeper level is nearly always the lighter one (of 924 real documents level 3 in 914): to ask for the deepest that
/// the reader understands is enough.
///
/// ```
/// use tokenforge_formats::Json;
/// use tokenforge_formats::stc2::{Level, lightest};
/// use tokenforge_tokens::Counter;
///
/// let json = Json::parse(r#"{"a":1}"#)?;
/// let weighed = lightest(&json, &Level::ALL, Counter::default());
/// assert_eq!((weighed.level, &*weighed.text), (None, r#"{"a":1}"#));
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn lightest<'a>(json: &Json<'a>, levels: &[Level], counter: Counter) -> LightestText<'a> {
    let mut best: Option<LightestText<'a>> = None;
    // The likely winners first: what comes later is counted only up to the best so far.
    let mut levels = levels.to_vec();
    levels.sort_unstable();
    for level in levels.into_iter().rev() {
        let text = encode(json, level);
        // What is so much longer never had fewer tokens.
        let is_longer =
            |best: &LightestText<'_>| text.len() > best.text.len() + best.text.len() / 8;
        if !text.starts_with(HEADER) || best.as_ref().is_some_and(is_longer) {
            continue;
        }
        let limit = best.as_ref().map_or(usize::MAX, |best| best.tokens.saturating_sub(1));
        if let Some(tokens) = counter.count_within(&text, limit) {
            best = Some(LightestText { level: Some(level), text, tokens });
        }
    }
    let minified = json.minify();
    let limit = best.as_ref().map_or(usize::MAX, |best| best.tokens);
    match (counter.count_within(&minified, limit), best) {
        (None, Some(best)) => best,
        (tokens, _) => {
            let tokens = tokens.unwrap_or_else(|| counter.count(&minified));
            LightestText { level: None, text: minified, tokens }
        }
    }
}
