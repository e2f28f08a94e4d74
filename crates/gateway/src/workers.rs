//! Threads that compress, apart from those that move bytes.
//!
//! Of those at rest the eldest works next, so that few do most of the work: what a thread keeps for itself, such as the
//! words that it has counted, is at hand. A regular expression is also cheapest for the thread that used it first.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Threads that come into being when there is work, and stay.
pub(crate) struct Workers {
    /// One for each thread that may be; whoever has one finds a thread at rest, or may begin one.
    permits: Arc<Semaphore>,
    resting: Arc<Resting>,
    /// How many threads have begun.
    begun: AtomicUsize,
}

/// Threads at rest, by when they began.
type Resting = Mutex<BTreeMap<usize, SyncSender<Job>>>;

struct Job {
    work: Box<dyn FnOnce(Rest) + Send>,
    rest: Rest,
}

/// A thread's way back to where it rests. Nobody else has it, so that the thread ends with the workers.
struct Rest {
    resting: Weak<Resting>,
    number: usize,
    next: SyncSender<Job>,
    permit: OwnedSemaphorePermit,
}

impl Workers {
    pub(crate) fn new(most: usize) -> Self {
        let permits = Arc::new(Semaphore::new(most));
        Workers { permits, resting: Arc::default(), begun: AtomicUsize::new(0) }
    }

    /// Does some work, as soon as a thread is free. Nothing if a defect ended it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let (done, result) = oneshot::channel();
        let work = Box::new(move |rest: Rest| {
            // A defect costs the one who asked for this, and nobody else.
            let made = catch_unwind(AssertUnwindSafe(work));
            // First, so that this thread does what is asked for when the result is known.
            rest.begin();
            if let Ok(made) = made {
                // Whoever wanted it may have left.
                let _ = done.send(made);
            }
        });
        let rested = self.resting.lock().unwrap_or_else(PoisonError::into_inner).pop_first();
        let (number, next) = rested.or_else(|| self.begin())?;
        let resting = Arc::downgrade(&self.resting);
        let rest = Rest { resting, number, next: next.clone(), permit };
        next.send(Job { work, rest }).ok()?;
        result.await.ok()
    }

    /// Begins a thread; none if there cannot be another.
    fn begin(&self) -> Option<(usize, SyncSender<Job>)> {
        let (next, jobs) = sync_channel::<Job>(1);
        let thread = std::thread::Builder::new().name("compress".to_owned());
        let work = move || jobs.iter().for_each(|Job { work, rest }| work(rest));
        thread.spawn(work).ok()?;
        Some((self.begun.fetch_add(1, Ordering::Relaxed), next))
    }
}

impl Rest {
    fn begin(self) {
        if let Some(resting) = self.resting.upgrade() {
            resting.lock().unwrap_or_else(PoisonError::into_inner).insert(self.number, self.next);
        }
        drop(self.permit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::mpsc::channel;
    use std::thread::{ThreadId, current};

    fn me() -> ThreadId {
        current().id()
    }

    #[tokio::test]
    async fn work_that_comes_one_by_one_is_done_by_one_thread() {
        let workers = Workers::new(4);
        let mut threads = HashSet::new();
        for _ in 0..20 {
            threads.insert(workers.run(me).await.unwrap());
        }
        assert_eq!(threads.len(), 1);
    }

    #[tokio::test]
    async fn of_several_at_rest_the_eldest_works() {
        let workers = Workers::new(2);
        let eldest = workers.run(me).await;
        // Both work at once, and the eldest rests first.
        let (begin, begun) = channel();
        let (end, ended) = channel();
        let first = async {
            workers.run(move || begun.recv().is_ok()).await;
            end.send(()).unwrap();
        };
        let second = workers.run(move || {
            begin.send(()).unwrap();
            ended.recv().unwrap();
            me()
        });
        let ((), youngest) = tokio::join!(first, second);
        assert_ne!(youngest, eldest);
        for _ in 0..3 {
            assert_eq!(workers.run(me).await, eldest);
        }
    }

    #[tokio::test]
    async fn there_are_no_more_threads_than_allowed() {
        let workers = Arc::new(Workers::new(2));
        let run = |_| {
            let workers = workers.clone();
            tokio::spawn(async move { workers.run(me).await.unwrap() })
        };
        let mut threads = HashSet::new();
        for task in (0..50).map(run).collect::<Vec<_>>() {
            threads.insert(task.await.unwrap());
        }
        assert!(threads.len() <= 2, "{} threads", threads.len());
    }

    #[tokio::test]
    async fn l7_a_defect_ends_the_work_and_not_the_thread() {
        let workers = Workers::new(1);
        let before = workers.run(me).await;
        assert_eq!(workers.run(|| -> usize { panic!("a defect") }).await, None);
        assert_eq!(workers.run(me).await, before);
    }
}
