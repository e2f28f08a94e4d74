//! What became of results before, found again by their raw bytes.
//!
//! An agent sends its whole history with every turn. A result that was sent before, after the same results and under
//! the same settings, has its replacement here, already escaped: it is spliced in without a look at it. Nothing
//! depends on this: what is not here is made again, and is the same.

mod evictions;
mod histories;
mod texts;
mod trails;

pub(crate) use evictions::Evictions;
pub(crate) use histories::{Histories, Seen};
pub(crate) use texts::{Found, Speaker, Texts};
use trails::Trails;

use crate::report::Figures;
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Weighter};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokenforge_engine::reference::Reference;
use tokenforge_providers::{ResultShape, ToolResult};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// What is older is made again, so that its original is stored again before the store forgets it.
const FRESH: Duration = Duration::from_secs(60 * 60);

/// The same where the store did not keep the original: soon enough for one that comes back, and seldom enough for one
/// that does not.
const FRESH_UNSTORED: Duration = Duration::from_secs(60);

/// Remembers what became of results.
pub(crate) struct Memo {
    entries: Cache<u128, Arc<Entry>, Weight, DefaultHashBuilder, Evictions>,
    /// The latest long result with these first bytes.
    heads: Cache<u64, Weak<Entry>>,
    pub(crate) histories: Histories,
    trails: Trails,
    /// Drawn at random, so that nobody outside can make two results look alike.
    seed: u64,
}

#[cfg(test)]
impl Default for Memo {
    fn default() -> Self {
        Self::new(64 << 20, &Evictions::default())
    }
}

/// What became of a result.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The result as it stood in the body. Compared in full: a hash alone decides nothing.
    raw: Box<[u8]>,
    raw_hash: u128,
    /// What stands in its place, as JSON.
    pub(crate) replacement: Option<Arc<str>>,
    /// The name of its original, where something was left out.
    pub(crate) original: Option<Reference>,
    /// What that saved.
    pub(crate) figures: Arc<Figures>,
    made: Instant,
    /// How long it is used.
    fresh_for: Duration,
}

/// What is forwarded for a result.
pub(crate) struct Forwarded {
    /// What stands in its place, as JSON.
    pub(crate) replacement: Option<Arc<str>>,
    /// The name of its original, where something was left out.
    pub(crate) original: Option<Reference>,
    /// What that saved.
    pub(crate) figures: Arc<Figures>,
    /// The store keeps the original, if there is one.
    pub(crate) is_stored: bool,
}

impl Forwarded {
    /// The result as it came.
    pub(crate) fn untouched(figures: Arc<Figures>) -> Self {
        Forwarded { replacement: None, original: None, figures, is_stored: true }
    }
}

/// The results of a conversation so far, as one number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain(u128);

impl Memo {
    /// A memo that takes so many bytes. Texts take most of them: what was made of results, then what models have seen, then
    /// what stands around the texts.
    pub(crate) fn new(bytes: usize, evictions: &Evictions) -> Self {
        let share = |sevenths: u64| (bytes as u64 / 7).saturating_mul(sevenths);
        Memo {
            entries: Cache::with(
                10_000,
                share(4),
                Weight,
                DefaultHashBuilder::default(),
                evictions.clone(),
            ),
            heads: Cache::new(10_000),
            histories: Histories::new(share(2), evictions),
            trails: Trails::new(share(1), evictions),
            seed: RandomState::new().hash_one(bytes),
        }
    }

    /// The start of a conversation of a tenant, under settings.
    pub(crate) fn chain(&self, tenant: &str, settings: u64) -> Chain {
        let parts = [u128::from(settings), self.hash(tenant.as_bytes())];
        Chain(self.hash(parts.map(u128::to_le_bytes).as_flattened()))
    }

    /// The conversation with one more result, of which the text may be that of an entry.
    pub(crate) fn next(
        &self,
        chain: Chain,
        result: &ToolResult,
        body: &[u8],
        same: Option<&Entry>,
    ) -> Chain {
        let raw_hash = same.map_or_else(|| self.hash(raw(result, body)), |entry| entry.raw_hash);
        let arguments = result.arguments.as_ref().and_then(|found| body.get(found.span.clone()));
        let shape = match result.shape {
            ResultShape::Text => 0,
            ResultShape::Value => 1,
            ResultShape::JsonBlock { .. } => 2,
        };
        let bits =
            shape << 2 | u128::from(result.is_error) << 1 | u128::from(result.call_id.is_some());
        let parts = [
            chain.0,
            raw_hash,
            self.hash(result.tool(body).as_bytes()),
            self.hash(result.id(body).unwrap_or_default().as_bytes()),
            self.hash(arguments.unwrap_or_default()),
            bits,
        ];
        Chain(self.hash(parts.map(u128::to_le_bytes).as_flattened()))
    }

    /// What became of the result at the end of this conversation. Its text may be known to be that of an entry.
    pub(crate) fn find(
        &self,
        chain: Chain,
        result: &ToolResult,
        body: &[u8],
        same: Option<&Entry>,
        now: Instant,
    ) -> Option<Arc<Entry>> {
        let is_same = |entry: &Arc<Entry>| {
            let is_known = same.is_some_and(|same| std::ptr::eq(same, &**entry));
            is_known || *entry.raw == *raw(result, body)
        };
        let entry = self.entries.get(&chain.0)?;
        let age = now.saturating_duration_since(entry.made);
        (is_same(&entry) && age < entry.fresh_for).then_some(entry)
    }

    /// What is known of the texts and turns of somebody's body, in which these texts were found already.
    pub(crate) fn texts<'m>(&'m self, speaker: Speaker<'_>, found: Found) -> Texts<'m> {
        Texts::new(self, speaker, found)
    }

    fn hash(&self, raw: &[u8]) -> u128 {
        xxh3_128_with_seed(raw, self.seed)
    }

    /// Remembers what became of the result at the end of this conversation.
    pub(crate) fn keep(
        &self,
        chain: Chain,
        result: &ToolResult,
        body: &[u8],
        forwarded: Forwarded,
    ) -> Arc<Entry> {
        let raw: Box<[u8]> = raw(result, body).into();
        let raw_hash = self.hash(&raw);
        let made = Instant::now();
        let Forwarded { replacement, original, figures, is_stored } = forwarded;
        let fresh_for = if is_stored { FRESH } else { FRESH_UNSTORED };
        let entry =
            Arc::new(Entry { raw, raw_hash, replacement, original, figures, made, fresh_for });
        self.entries.insert(chain.0, entry.clone());
        entry
    }
}

/// A hash of several texts, under the memo's seed.
pub(crate) struct Digest(xxhash_rust::xxh3::Xxh3);

impl Digest {
    pub(crate) fn new(memo: &Memo) -> Self {
        Digest(xxhash_rust::xxh3::Xxh3::with_seed(memo.seed))
    }

    /// Adds a text: two in a row are not the same as both in one.
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    pub(crate) fn finish(&self) -> u128 {
        self.0.digest128()
    }
}

fn raw<'b>(result: &ToolResult, body: &'b [u8]) -> &'b [u8] {
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
