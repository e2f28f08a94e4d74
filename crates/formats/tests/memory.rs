//! Encoders allocate a small multiple of their input, decoders of their output; nothing is allocated from a count.
//!
//! One test, since the allocator counts for the whole process.

use peak_alloc::PeakAlloc;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, stc};
use tokenforge_samples::typical;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The most bytes that were allocated at once while `work` ran.
fn peak<R>(work: impl FnOnce() -> R) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    drop(work());
    ALLOCATOR.peak_usage().saturating_sub(before)
}

#[test]
fn k10_memory_is_a_small_multiple_of_what_is_read_or_written() {
    let wide = format!("[{}0]", "0,".repeat(500_000));
    let typical = typical::all(1 << 20).into_iter().map(|(_, text)| text);
    for text in typical.chain([wide]) {
        let parsing = peak(|| Json::parse(&text));
        assert!(parsing <= 20 * text.len(), "{parsing} for {}", text.len());
        let json = Json::parse(&text).unwrap();
        for form in Form::ALL {
            let Ok(encoded) = form.encode(&json) else { continue };
            let encoding = peak(|| form.encode(&json));
            assert!(encoding <= 4 * text.len(), "{form}: {encoding} for {}", text.len());
            let decoding = peak(|| form.decode(&encoded, MAX_OUTPUT));
            assert!(decoding <= 20 * text.len(), "{form}: {decoding} for {}", text.len());
        }
        for level in Level::ALL {
            let encoded = stc2::encode(&json, level);
            let encoding = peak(|| stc2::encode(&json, level));
            assert!(encoding <= 20 * text.len(), "{level:?}: {encoding} for {}", text.len());
            let decoding = peak(|| stc2::decode(&encoded, MAX_OUTPUT));
            assert!(decoding <= 4 * text.len(), "{level:?}: {decoding} for {}", text.len());
        }
    }

    let bomb = "{t[1000000000]: 1,2,3}";
    assert!(peak(|| stc::decode(bomb, MAX_OUTPUT)) < 4096);

    let bomb = "stc2\n[1000000000]{a b}\n1 2";
    assert!(peak(|| stc2::decode(bomb, MAX_OUTPUT)) < 8192);

    let key = "k".repeat(1000);
    let table = format!("[100000]{{{key}}}: {}", vec!["1"; 100_000].join(" / "));
    let limited = peak(|| stc::decode(&table, 1 << 20));
    assert!(limited <= 4 << 20, "{limited} with an output limit of 1 MiB");
}
