//! Staying awake for a moment where the next thing to do is likely to come within it.
//!
//! A thread that sleeps has to be woken, which takes longer than passing a request on: most of all in a virtual machine.
//! Where traffic is dense it pays to wait awake. Between an agent and its model, where seconds pass, it hardly ever happens.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How long a thread stays awake after the last thing that happened.
const MOMENT: Duration = Duration::from_micros(50);

/// Things that follow each other this quickly would come within a moment if nobody had to be woken.
const SOON: Duration = Duration::from_micros(200);

/// How often it is looked for something to do before others have the processor.
const LOOKS: u32 = 8;

/// After a moment in vain, so many things happen before the next one is tried.
const REST: u32 = 16;

thread_local! {
    static LANE: Lane = const { Lane { rhythm: Cell::new(Rhythm::NEW), waker: Cell::new(None) } };
}

/// Something went by, and what follows it may come soon: more of a body, the answer to a request, the next request.
pub(crate) fn passed() {
    LANE.with(|lane| {
        if lane.with_rhythm(|rhythm| rhythm.passed(Instant::now()))
            && let Some(waker) = lane.waker.take()
        {
            waker.wake();
        }
    });
}

/// Keeps this thread awake when that pays, and lets whoever else waits for the processor have it now and then.
pub(super) async fn linger() {
    let mut looks = (1..=LOOKS).cycle();
    loop {
        poll_fn(|context| LANE.with(|lane| lane.poll(context))).await;
        while LANE.with(|lane| lane.with_rhythm(|rhythm| rhythm.goes_on(Instant::now()))) {
            if looks.next() == Some(LOOKS) {
                std::thread::yield_now();
            }
            tokio::task::yield_now().await;
        }
    }
}

/// A thread, and whoever keeps it awake.
struct Lane {
    rhythm: Cell<Rhythm>,
    waker: Cell<Option<Waker>>,
}

impl Lane {
    fn with_rhythm<T>(&self, change: impl FnOnce(&mut Rhythm) -> T) -> T {
        let mut rhythm = self.rhythm.get();
        let answer = change(&mut rhythm);
        self.rhythm.set(rhythm);
        answer
    }

    /// Is it time to stay awake?
    fn poll(&self, context: &Context<'_>) -> Poll<()> {
        if self.with_rhythm(Rhythm::begins) {
            return Poll::Ready(());
        }
        self.waker.set(Some(context.waker().clone()));
        Poll::Pending
    }
}

/// How quickly things follow each other.
#[derive(Debug, Clone, Copy)]
struct Rhythm {
    last: Option<Instant>,
    /// The last two followed each other quickly.
    is_dense: bool,
    /// Something went by since somebody stays awake.
    has_paid: bool,
    /// How many things happen before it is tried again.
    rest: u32,
}

impl Rhythm {
    const NEW: Self = Rhythm { last: None, is_dense: false, has_paid: false, rest: 0 };

    /// Something went by: does it pay to stay awake for the next?
    fn passed(&mut self, now: Instant) -> bool {
        let last = self.last.replace(now);
        self.has_paid = true;
        self.is_dense = last.is_some_and(|last| now.saturating_duration_since(last) < SOON);
        self.rest = self.rest.saturating_sub(1);
        self.is_dense && self.rest == 0
    }

    /// Somebody asks whether to stay awake, and does if so.
    fn begins(&mut self) -> bool {
        self.has_paid = false;
        self.is_dense && self.rest == 0
    }

    /// Somebody stays awake: is it worth more of that?
    fn goes_on(&mut self, now: Instant) -> bool {
        let is_within = |last| now.saturating_duration_since(last) < MOMENT;
        if self.last.is_some_and(is_within) {
            return true;
        }
        self.is_dense = false;
        if !self.has_paid {
            self.rest = REST;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(micros: u64, times: u32) -> impl Iterator<Item = Duration> {
        (1..=times).map(move |nth| Duration::from_micros(micros) * nth)
    }

    #[test]
    fn nobody_stays_awake_between_things_that_are_far_apart() {
        let (mut rhythm, start) = (Rhythm::NEW, Instant::now());
        for at in every(300, 100) {
            assert!(!rhythm.passed(start + at) && !rhythm.begins());
        }
    }

    #[test]
    fn dense_traffic_keeps_a_thread_awake_until_a_moment_after_its_end() {
        let (mut rhythm, start) = (Rhythm::NEW, Instant::now());
        rhythm.passed(start);
        assert!(rhythm.passed(start + SOON / 2) && rhythm.begins());
        let last = start + SOON / 2;
        for at in every(40, 100) {
            assert!(rhythm.goes_on(last + at));
            rhythm.passed(last + at);
        }
        let end = last + Duration::from_micros(40) * 100;
        assert!(rhythm.goes_on(end + MOMENT / 2));
        assert!(!rhythm.goes_on(end + MOMENT) && !rhythm.begins());
        assert!(rhythm.passed(end + SOON / 2) && rhythm.begins(), "it has paid");
    }

    #[test]
    fn who_stayed_awake_in_vain_sleeps_for_a_while() {
        let (mut rhythm, start) = (Rhythm::NEW, Instant::now());
        let mut awake = 0;
        for at in every(150, 2 + 99 * REST) {
            if rhythm.passed(start + at) && rhythm.begins() {
                awake += 1;
                assert!(!rhythm.goes_on(start + at + MOMENT));
            }
        }
        assert_eq!(awake, 100);
    }
}
