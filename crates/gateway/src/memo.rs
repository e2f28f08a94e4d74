//! What became of results before, found again by their raw bytes.
//!
//! An agent sends its whole history with every turn. A result that was sent before, after the same results and under
//! the same settings, has its replacement here, already escaped: it is spliced in without a look at it. Nothing
//! depends on this: what is not here is made again, and is the same.

use crate::report::Figures;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_compress::reference::Reference;
use tokenforge_dialects::{Shape, ToolResult};
use xxhash_rust::xxh3::Xxh3;

/// How many bytes are remembered.
const BYTES: u64 = 24 << 20;

/// What is older is made again, so that its original is stored again before the store forgets it.
const FRESH: Duration = Duration::from_secs(60 * 60);

/// Remembers what became of results.
pub(crate) struct Memo {
    entries: Cache<u128, Arc<Entry>, Weight>,
    /// Drawn at random, so that nobody outside can make two results look alike.
    seed: u64,
}

impl Default for Memo {
    fn default() -> Self {
        Memo {
            entries: Cache::with_weighter(10_000, BYTES, Weight),
            seed: RandomState::new().hash_one(BYTES),
        }
    }
}

/// What became of a result.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The result as it stood in the body. Compared in full: a hash alone decides nothing.
    raw: Box<[u8]>,
    /// What stands in its place, as JSON.
    pub(crate) replacement: Option<Arc<str>>,
    /// The name of its original, where something was left out.
    pub(crate) original: Option<Reference>,
    /// What that saved.
    pub(crate) figures: Arc<Figures>,
    made: Instant,
}

/// The results of a conversation so far, as one number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain(u128);

impl Memo {
    /// The start of a conversation of a tenant, under settings.
    pub(crate) fn chain(&self, tenant: &str, settings: u64) -> Chain {
        let mut hasher = Xxh3::with_seed(self.seed);
        hasher.update(&settings.to_le_bytes());
        hasher.update(tenant.as_bytes());
        Chain(hasher.digest128())
    }

    /// The conversation with one more result.
    pub(crate) fn next(&self, chain: Chain, result: &ToolResult<'_>, body: &[u8]) -> Chain {
        let mut hasher = Xxh3::with_seed(self.seed);
        let mut add = |bytes: &[u8]| {
            hasher.update(&bytes.len().to_le_bytes());
            hasher.update(bytes);
        };
        add(&chain.0.to_le_bytes());
        add(raw(result, body));
        add(result.tool_name.as_deref().unwrap_or_default().as_bytes());
        add(result.call_id.as_deref().unwrap_or_default().as_bytes());
        let arguments = result.arguments.as_ref().and_then(|found| body.get(found.span.clone()));
        add(arguments.unwrap_or_default());
        let shape = match result.shape {
            Shape::Text => 0,
            Shape::Value => 1,
            Shape::JsonBlock { .. } => 2,
        };
        add(&[shape, u8::from(result.is_error), u8::from(result.call_id.is_some())]);
        Chain(hasher.digest128())
    }

    /// What became of the result at the end of this conversation.
    pub(crate) fn find(
        &self,
        chain: Chain,
        result: &ToolResult<'_>,
        body: &[u8],
    ) -> Option<Arc<Entry>> {
        let is_same =
            |entry: &Arc<Entry>| *entry.raw == *raw(result, body) && entry.made.elapsed() < FRESH;
        self.entries.get(&chain.0).filter(is_same)
    }

    /// Remembers what became of the result at the end of this conversation.
    pub(crate) fn keep(
        &self,
        chain: Chain,
        result: &ToolResult<'_>,
        body: &[u8],
        replacement: Option<Arc<str>>,
        original: Option<Reference>,
        figures: Arc<Figures>,
    ) -> Arc<Entry> {
        let raw = raw(result, body).into();
        let entry = Arc::new(Entry { raw, replacement, original, figures, made: Instant::now() });
        self.entries.insert(chain.0, entry.clone());
        entry
    }
}

fn raw<'b>(result: &ToolResult<'_>, body: &'b [u8]) -> &'b [u8] {
    body.get(result.span.clone()).unwrap_or_default()
}

#[derive(Clone)]
struct Weight;

impl Weighter<u128, Arc<Entry>> for Weight {
    fn weight(&self, _: &u128, entry: &Arc<Entry>) -> u64 {
        let replacement = entry.replacement.as_ref().map_or(0, |text| text.len());
        (size_of::<Entry>() + 128 + entry.raw.len() + replacement) as u64
    }
}
