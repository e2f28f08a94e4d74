//! A bounded background queue: work for a thread of its own, because no request may wait for a file. Work that finds no
//! room is dropped (load shedding).

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Who does the work.
pub(super) trait QueueWorker<T>: Send + 'static {
    /// How long work may lie before the thread takes it up. Work that is added meanwhile need not wake the thread.
    const PAUSE: Duration = Duration::ZERO;

    /// Does a piece of it.
    fn take(&mut self, piece: T);
    /// Nothing more waits.
    fn rest(&mut self) {}
}

/// Pieces of work that wait, so many at most.
pub(super) struct BackgroundQueue<T>(SyncSender<Piece<T>>);

enum Piece<T> {
    Work(T),
    /// A caller waits until all work before this is done.
    Done(SyncSender<()>),
}

impl<T: Send + 'static> BackgroundQueue<T> {
    /// Starts a thread for the work. It ends with the queue, when all is done.
    pub(super) fn start(capacity: usize, worker: impl QueueWorker<T>) -> Self {
        let (queue, pieces) = sync_channel(capacity.max(1));
        std::thread::spawn(move || work(worker, &pieces));
        BackgroundQueue(queue)
    }

    /// Adds a piece of work without blocking. Returns `false` if the queue was full and the piece was dropped.
    pub(super) fn leave(&self, piece: T) -> bool {
        self.0.try_send(Piece::Work(piece)).is_ok()
    }

    /// Waits until all is done that was left before, for so long at most. Blocks.
    pub(super) fn wait(&self, patience: Duration) {
        let (done, is_done) = sync_channel(1);
        if self.0.send(Piece::Done(done)).is_ok() {
            let _ = is_done.recv_timeout(patience);
        }
    }
}

fn work<T, C: QueueWorker<T>>(mut worker: C, pieces: &Receiver<Piece<T>>) {
    while let Ok(first) = pieces.recv() {
        std::thread::sleep(C::PAUSE);
        let mut next = Some(first);
        let mut waiting = Vec::new();
        while let Some(piece) = next {
            match piece {
                Piece::Work(piece) => worker.take(piece),
                Piece::Done(done) => waiting.push(done),
            }
            next = pieces.try_recv().ok();
        }
        worker.rest();
        for done in waiting {
            let _ = done.try_send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    struct Noting(Arc<Mutex<Vec<u32>>>);

    impl QueueWorker<u32> for Noting {
        fn take(&mut self, piece: u32) {
            self.0.lock().unwrap().push(piece);
        }
    }

    #[test]
    fn wait_returns_after_all_earlier_work() {
        let done = Arc::default();
        let queue = BackgroundQueue::start(100, Noting(Arc::clone(&done)));
        assert!((0..100).all(|piece| queue.leave(piece)));
        queue.wait(Duration::from_secs(60));
        assert_eq!(*done.lock().unwrap(), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_queue_drops_work_without_blocking() {
        let done = Arc::default();
        let queue = BackgroundQueue::start(2, Noting(Arc::clone(&done)));
        // The worker cannot go on while this is held.
        let held = done.lock().unwrap();
        let left = (0..10).filter(|piece| queue.leave(*piece)).count();
        assert!(left <= 4, "{left}");
        drop(held);
    }
}
