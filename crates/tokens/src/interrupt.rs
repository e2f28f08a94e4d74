//! Cooperative cancellation: long loops say how much they did, and are stopped where that is too much or takes too long.
//!
//! A loop calls [`tick`]; its caller runs it inside [`watched`]. A loop that must stop unwinds with
//! [`StopReason`], as the queries of salsa do, so that no loop has a way out of its own and none in between has to pass an
//! error on. That is no panic: no hook hears of it, and nothing is printed. Handing a context down to every loop was the
//! other way; it would have been a parameter of some two hundred functions, most of which only pass it on.
//!
//! Steps are counted first: how many a text takes depends on the text alone, so that what is stopped by them is stopped
//! on every machine. The deadline is asked now and then, and is the last resort.
//!
//! It is here because nothing is below this crate: a count of tokens can be stopped, too.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// The deadline is asked after so many steps: a step is about a byte that is looked at.
pub const STEPS_PER_POLL: u64 = 1 << 16;

/// Says whether time has run out. It may be asked from inside of any loop, and on any thread.
#[derive(Clone)]
pub struct Deadline(Arc<dyn Fn() -> bool + Send + Sync>);

impl Deadline {
    /// One that has passed as soon as this says so.
    pub fn new(has_passed: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Deadline(Arc::new(has_passed))
    }

    /// Has it passed?
    #[must_use]
    pub fn has_passed(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for Deadline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deadline")
    }
}

/// Why a loop was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// It took more steps than it may.
    OutOfSteps,
    /// The deadline passed.
    OutOfTime,
}

/// What the loops on this thread may still do.
struct Watch {
    steps: u64,
    deadline: Option<Deadline>,
}

thread_local! {
    /// Steps until [`tick`] has to look at the watch: before that a loop pays for counting down alone. Without a watch
    /// there is nothing to look at.
    static UNTIL_LOOK: Cell<u64> = const { Cell::new(u64::MAX) };
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// So much was done: about as many bytes looked at. Does not return if that was too much.
#[inline]
pub fn tick(steps: usize) {
    let left = UNTIL_LOOK.get().saturating_sub(steps as u64);
    UNTIL_LOOK.set(left);
    if left == 0 {
        look();
    }
}

#[cold]
fn look() {
    let deadline = WATCH.with_borrow_mut(|watch| {
        let Some(watch) = watch else {
            UNTIL_LOOK.set(u64::MAX);
            return Ok(None);
        };
        watch.steps = watch.steps.saturating_sub(STEPS_PER_POLL);
        if watch.steps == 0 {
            return Err(StopReason::OutOfSteps);
        }
        UNTIL_LOOK.set(STEPS_PER_POLL);
        Ok(watch.deadline.clone())
    });
    let stopped = match deadline {
        Ok(deadline) => deadline.filter(Deadline::has_passed).map(|_| StopReason::OutOfTime),
        Err(stopped) => Some(stopped),
    };
    if let Some(stopped) = stopped {
        resume_unwind(Box::new(stopped));
    }
}

/// Runs code whose loops may take so many steps, rounded up to the next look, and no longer than to this deadline.
///
/// # Errors
/// If a loop was stopped. A panic goes on.
pub fn watched<T>(
    steps: u64,
    deadline: Option<&Deadline>,
    code: impl FnOnce() -> T,
) -> Result<T, StopReason> {
    let watch = Watch { steps: steps.saturating_add(STEPS_PER_POLL), deadline: deadline.cloned() };
    let outer = (WATCH.replace(Some(watch)), UNTIL_LOOK.replace(STEPS_PER_POLL));
    let made = catch_unwind(AssertUnwindSafe(code));
    WATCH.set(outer.0);
    UNTIL_LOOK.set(outer.1);
    made.map_err(|payload| match payload.downcast::<StopReason>() {
        Ok(stopped) => *stopped,
        Err(payload) => resume_unwind(payload),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Loops for ever, or as long as it may; how many steps that were.
    fn forever(done: &AtomicUsize) {
        loop {
            tick(100);
            done.fetch_add(100, Ordering::SeqCst);
        }
    }

    #[test]
    fn d64_a_loop_stops_within_a_look_of_its_steps() {
        for steps in [0, 1, STEPS_PER_POLL, 10 * STEPS_PER_POLL + 7] {
            let done = AtomicUsize::new(0);
            let stopped = watched(steps, None, || forever(&done));
            assert_eq!(stopped, Err(StopReason::OutOfSteps));
            let done = done.into_inner() as u64;
            assert!(
                done + 100 >= steps && done <= steps + 2 * STEPS_PER_POLL + 1_200,
                "{done} of {steps}"
            );
        }
    }

    #[test]
    fn d64_a_loop_asked_to_stop_stops_within_a_look() {
        let polls = Arc::new(AtomicUsize::new(0));
        let counted = polls.clone();
        let deadline = Deadline::new(move || counted.fetch_add(1, Ordering::SeqCst) >= 3);
        let done = AtomicUsize::new(0);
        let stopped = watched(u64::MAX, Some(&deadline), || forever(&done));
        assert_eq!(stopped, Err(StopReason::OutOfTime));
        assert_eq!(polls.load(Ordering::SeqCst), 4);
        assert!(done.into_inner() as u64 <= 4 * (STEPS_PER_POLL + 100));
    }

    #[test]
    fn what_is_not_watched_is_not_stopped_and_one_watch_does_not_end_another() {
        (0..100).for_each(|_| tick(STEPS_PER_POLL as usize));
        let made = watched(10 * STEPS_PER_POLL, None, || {
            let inner = watched(0, None, || (0..1 << 20).for_each(tick));
            assert_eq!(inner, Err(StopReason::OutOfSteps));
            (0..5).for_each(|_| tick(STEPS_PER_POLL as usize));
            "done"
        });
        assert_eq!(made, Ok("done"));
        tick(usize::MAX);
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn a_panic_goes_on() {
        let _ = watched(1, None, || panic!("a defect"));
    }
}
