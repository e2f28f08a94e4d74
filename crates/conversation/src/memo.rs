//! The memo: a cache of what became of results before, found again by their raw bytes. Bounded in bytes;
//! eviction is `quick_cache`'s, close to LRU.
//!
//! An agent sends its whole history with every turn. A result that was sent before, after the same results and under
//! the same settings, has its replacement here, already escaped: it is spliced in without a look at it. Nothing
//! depends on this: what is not here is made again, and is the same.

mod evictions;
mod forwarded_history;
mod known_spans;
mod raw_text;
mod read_cache;

pub(crate) use evictions::EvictionCounter;
pub(crate) use forwarded_history::{ForwardedHistories, HistoryKey};
pub(crate) use known_spans::{ConversationOwner, KnownSpans, SpanHits};
use raw_text::RawText;
use read_cache::ReadCache;

use crate::cache_hasher::CacheHasher;
use crate::clock::Clock;
use crate::report::ResultFigures;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokenforge_engine::reference::Reference;
use tokenforge_providers::{ResultShape, ToolResult};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// What is older is made again, so that its original is stored again before the store forgets it.
pub const FRESH: Duration = Duration::from_secs(60 * 60);

/// The same where the store did not keep the original: soon enough for one that comes back, and seldom enough for one
/// that does not.
const FRESH_UNSTORED: Duration = Duration::from_secs(60);

/// Remembers what became of results.
pub struct Memo {
    entries: Cache<u128, Arc<MemoEntry>, EntryWeight, CacheHasher, EvictionCounter>,
    /// The latest long result with these first bytes.
    heads: Cache<u64, Weak<MemoEntry>>,
    pub(crate) histories: ForwardedHistories,
    read_cache: ReadCache,
    /// How often the store lost originals.
    store_epoch: AtomicU64,
    /// Drawn at random, so that no client can construct two results with the same hash.
    seed: u64,
    clock: Arc<dyn Clock>,
}

#[cfg(test)]
impl Default for Memo {
    fn default() -> Self {
        Self::new(64 << 20, &EvictionCounter::default(), Arc::new(crate::clock::SystemClock))
    }
}

/// What became of a result.
#[derive(Debug)]
pub(crate) struct MemoEntry {
    /// The result as it stood in the body. Compared in full: the hash beside it alone decides nothing.
    raw: RawText,
    raw_hash: u128,
    /// What stands in its place, as JSON.
    pub(crate) replacement: Option<Arc<str>>,
    /// The name of its original, where something was left out.
    pub(crate) original: Option<Reference>,
    /// What that saved.
    pub(crate) figures: Arc<ResultFigures>,
    made: Instant,
    /// When its original was stored, if it has one: see [`Memo::follow_store`].
    store_epoch: u64,
    /// How long it is used.
    fresh_for: Duration,
}

/// What is forwarded for a result.
pub(crate) struct ForwardedResult {
    /// What stands in its place, as JSON.
    pub(crate) replacement: Option<Arc<str>>,
    /// The name of its original, where something was left out.
    pub(crate) original: Option<Reference>,
    /// What that saved.
    pub(crate) figures: Arc<ResultFigures>,
    /// The store keeps the original, if there is one.
    pub(crate) is_stored: bool,
}

impl ForwardedResult {
    /// The result as it came.
    pub(crate) fn untouched(figures: Arc<ResultFigures>) -> Self {
        ForwardedResult { replacement: None, original: None, figures, is_stored: true }
    }
}

/// The results of a conversation so far, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ConversationKey(u128);

impl ConversationKey {
    /// The same conversation, of which the last result is left out.
    pub(crate) fn without_last(self) -> Self {
        ConversationKey(!self.0)
    }
}

impl Memo {
    /// A memo that takes so many bytes. Texts take most of them: what was made of results, then what models have seen, then
    /// what stands around the texts.
    pub(crate) fn new(bytes: usize, evictions: &EvictionCounter, clock: Arc<dyn Clock>) -> Self {
        let share = |sevenths: u64| (bytes as u64 / 7).saturating_mul(sevenths);
        Memo {
            entries: Cache::with(
                10_000,
                share(4),
                EntryWeight,
                CacheHasher::default(),
                evictions.clone(),
            ),
            heads: Cache::new(10_000),
            histories: ForwardedHistories::new(share(2), evictions),
            read_cache: ReadCache::new(share(1), evictions),
            store_epoch: AtomicU64::new(0),
            seed: RandomState::new().hash_one(bytes),
            clock,
        }
    }

    /// The start of a conversation of a tenant, under settings.
    pub(crate) fn begin(&self, tenant: &str, settings: u64) -> ConversationKey {
        let parts = [u128::from(settings), self.hash(tenant.as_bytes())];
        ConversationKey(self.hash(parts.map(u128::to_le_bytes).as_flattened()))
    }

    /// The conversation with one more result, of which the text may be that of an entry.
    pub(crate) fn next(
        &self,
        conversation: ConversationKey,
        result: &ToolResult,
        body: &[u8],
        same: Option<&MemoEntry>,
    ) -> ConversationKey {
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
            conversation.0,
            raw_hash,
            self.hash(result.tool(body).as_bytes()),
            self.hash(result.id(body).unwrap_or_default().as_bytes()),
            self.hash(arguments.unwrap_or_default()),
            bits,
        ];
        ConversationKey(self.hash(parts.map(u128::to_le_bytes).as_flattened()))
    }

    /// What became of the result at the end of this conversation. Its text may be known to be that of an entry.
    pub(crate) fn find(
        &self,
        conversation: ConversationKey,
        result: &ToolResult,
        body: &[u8],
        same: Option<&MemoEntry>,
        now: Instant,
    ) -> Option<Arc<MemoEntry>> {
        let is_same = |entry: &Arc<MemoEntry>| {
            let is_known = same.is_some_and(|same| std::ptr::eq(same, &**entry));
            is_known || entry.raw.is(raw(result, body))
        };
        let entry = self.entries.get(&conversation.0)?;
        let age = now.saturating_duration_since(entry.made);
        let is_kept = entry.original.is_none() || entry.store_epoch == self.store_epoch();
        (is_same(&entry) && is_kept && age < entry.fresh_for).then_some(entry)
    }

    /// Takes note of how often the store lost entries. Tells whether it did since this was last called: then what is remembered
    /// with a reference is made again, so that its original is stored again.
    pub fn follow_store(&self, epoch: u64) -> bool {
        self.store_epoch.swap(epoch, Ordering::Relaxed) != epoch
    }

    fn store_epoch(&self) -> u64 {
        self.store_epoch.load(Ordering::Relaxed)
    }

    /// Known spans of an owner's body, in which these texts were already found: its texts and turns.
    pub(crate) fn known_spans<'m>(
        &'m self,
        owner: ConversationOwner<'_>,
        found: SpanHits,
    ) -> KnownSpans<'m> {
        KnownSpans::new(self, owner, found)
    }

    fn hash(&self, raw: &[u8]) -> u128 {
        xxh3_128_with_seed(raw, self.seed)
    }

    /// Remembers what became of the result at the end of this conversation.
    pub(crate) fn keep(
        &self,
        conversation: ConversationKey,
        result: &ToolResult,
        body: &[u8],
        forwarded: ForwardedResult,
    ) -> Arc<MemoEntry> {
        let raw = raw(result, body);
        let raw_hash = self.hash(raw);
        let raw = RawText::of(raw);
        let (made, store_epoch) = (self.clock.instant(), self.store_epoch());
        let ForwardedResult { replacement, original, figures, is_stored } = forwarded;
        let fresh_for = if is_stored { FRESH } else { FRESH_UNSTORED };
        let entry = Arc::new(MemoEntry {
            raw,
            raw_hash,
            replacement,
            original,
            figures,
            made,
            store_epoch,
            fresh_for,
        });
        self.entries.insert(conversation.0, entry.clone());
        entry
    }
}

/// A hash of several texts, under the memo's seed.
pub(crate) struct SeededDigest(xxhash_rust::xxh3::Xxh3);

impl SeededDigest {
    pub(crate) fn new(memo: &Memo) -> Self {
        SeededDigest(xxhash_rust::xxh3::Xxh3::with_seed(memo.seed))
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
struct EntryWeight;

impl Weighter<u128, Arc<MemoEntry>> for EntryWeight {
    fn weight(&self, _: &u128, entry: &Arc<MemoEntry>) -> u64 {
        let replacement = entry.replacement.as_ref().map_or(0, |text| text.len());
        let texts = entry.raw.bytes() + replacement + entry.figures.bytes();
        (size_of::<MemoEntry>() + 128 + texts) as u64
    }
}
