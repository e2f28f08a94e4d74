//! Thread pool with fair queueing: threads that compress, apart from those that move bytes, shared out among tenants.
//!
//! A tenant has at most half of the threads, however much it sends, and what it sends beyond that waits in a queue of its
//! own. When a thread is free the queues take turns, one job each (round robin). There are two threads for every core, so
//! that half of them is as much as one tenant alone could use. Weighing jobs by their cost was not needed: bounds on what
//! one request may cost are elsewhere.
//!
//! Of the threads at rest the eldest works next, so that few do most of the work: what a thread keeps for itself, such as
//! the words that it has counted, is at hand. A regular expression is also cheapest for the thread that used it first.

mod schedule;

use schedule::{Admission, AssignedTask, FairSchedule, ResultSender, TenantTask};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokenforge_config::Limits;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a request waits for a share of the workers. That is not counted against its deadline: how much others send
/// must not decide whether it is compressed.
pub(crate) const QUEUE_PATIENCE: Duration = Duration::from_secs(5);

/// Threads that come into being when there is work, and stay.
#[derive(Clone)]
pub(crate) struct WorkerPool {
    schedule: Arc<Mutex<FairSchedule>>,
}

/// How many threads there may be, and how much may wait for them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkerLimits {
    pub(crate) threads: usize,
    /// How many of them one tenant may have.
    pub(crate) threads_per_tenant: usize,
    /// How many jobs may wait.
    pub(crate) queued: usize,
    /// How many jobs of one tenant may wait.
    pub(crate) queued_per_tenant: usize,
}

impl WorkerLimits {
    /// As the settings say: for all cores, if they do not.
    pub(crate) fn of(limits: &Limits) -> Self {
        Self::of_cores(match limits.compression_threads {
            0 => std::thread::available_parallelism().map_or(2, usize::from),
            threads => threads,
        })
    }

    /// For so many cores.
    fn of_cores(cores: usize) -> Self {
        WorkerLimits {
            threads: 2 * cores,
            threads_per_tenant: cores.max(1),
            queued: 1024,
            queued_per_tenant: 256,
        }
    }
}

/// How long a caller waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkPatience {
    /// For a thread.
    pub(crate) queue: Duration,
    /// For the work, once a thread does it.
    pub(crate) work: Duration,
}

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkFailure {
    /// Too much waits already, or it waited too long itself.
    Busy,
    /// It took too long, or a defect ended it.
    Failed,
}

/// Why work that may be refused has no outcome.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Undone<E> {
    /// It was not done.
    NotDone(WorkFailure),
    /// It was done, and this is what it said.
    Refused(E),
}

impl WorkerPool {
    pub(crate) fn new(limits: WorkerLimits) -> Self {
        WorkerPool { schedule: Arc::new(Mutex::new(FairSchedule::new(limits))) }
    }

    /// Does some work for a tenant, as soon as it has a thread for it.
    ///
    /// # Errors
    /// Fails if the work was not done. Work whose caller has left is not begun.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        tenant: &Arc<str>,
        patience: WorkPatience,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkFailure> {
        let (begun, begins) = oneshot::channel();
        let (done, result) = oneshot::channel();
        let work = Box::new(move || -> ResultSender {
            // The caller may have left.
            let is_wanted = begun.send(()).is_ok() && !done.is_closed();
            // A panic costs only its own caller the result.
            let made = if is_wanted { catch_unwind(AssertUnwindSafe(work)).ok() } else { None };
            Box::new(move || drop(made.map(|made| done.send(made))))
        });
        match self.submit(TenantTask { tenant: tenant.clone(), work })? {
            // The receiver stays where it is: a job that finds it gone is not wanted any more.
            Admission::Begun => drop(begins.await),
            Admission::Queued => {
                timeout(patience.queue, begins)
                    .await
                    .ok()
                    .and_then(Result::ok)
                    .ok_or(WorkFailure::Busy)?;
            }
        }
        let made = timeout(patience.work, result).await;
        made.ok().and_then(Result::ok).ok_or(WorkFailure::Failed)
    }

    /// The same for work that may be refused.
    ///
    /// # Errors
    /// If it was not done, or refused.
    pub(crate) async fn try_run<T: Send + 'static, E: Send + 'static>(
        &self,
        tenant: &Arc<str>,
        patience: WorkPatience,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Undone<E>> {
        let done = self.run(tenant, patience, work).await.map_err(Undone::NotDone)?;
        done.map_err(Undone::Refused)
    }

    fn submit(&self, task: TenantTask) -> Result<Admission, WorkFailure> {
        let mut schedule = lock(&self.schedule);
        let Some(task) = schedule.admit(task)? else { return Ok(Admission::Queued) };
        let (next, number) = match schedule.eldest_at_rest() {
            Some((number, next)) => (next, number),
            None => {
                let number = schedule.number();
                let Some(next) = self.begin() else {
                    schedule.finish(&task.tenant);
                    return Err(WorkFailure::Failed);
                };
                (next, number)
            }
        };
        drop(schedule);
        let job = AssignedTask { task, next: next.clone(), number };
        next.send(job).map_err(|_| WorkFailure::Failed)?;
        Ok(Admission::Begun)
    }

    /// Begins a thread; none if there cannot be another.
    fn begin(&self) -> Option<SyncSender<AssignedTask>> {
        let (next, jobs) = sync_channel::<AssignedTask>(1);
        let schedule = Arc::downgrade(&self.schedule);
        let thread = std::thread::Builder::new().name("compress".to_owned());
        thread.spawn(move || work_off(&schedule, &jobs)).ok()?;
        Some(next)
    }
}

/// Does one job after the other. Ends with the pool: only the thread itself holds the sender of its jobs while it
/// works.
fn work_off(schedule: &Weak<Mutex<FairSchedule>>, jobs: &Receiver<AssignedTask>) {
    for AssignedTask { mut task, next, number } in jobs {
        loop {
            let report = (task.work)();
            let Some(schedule) = schedule.upgrade() else { return report() };
            let mut schedule = lock(&schedule);
            // First, so that this thread does what is asked for when the result is known.
            let Some(following) = schedule.finish(&task.tenant) else {
                schedule.rest(number, next);
                drop(schedule);
                report();
                break;
            };
            drop(schedule);
            report();
            task = following;
        }
    }
}

fn lock(schedule: &Mutex<FairSchedule>) -> MutexGuard<'_, FairSchedule> {
    schedule.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::mpsc::channel;
    use std::thread::{ThreadId, current};

    const PATIENT: WorkPatience =
        WorkPatience { queue: Duration::from_secs(60), work: Duration::from_secs(60) };

    fn me() -> ThreadId {
        current().id()
    }

    fn workers(threads: usize) -> WorkerPool {
        let limits =
            WorkerLimits { threads, threads_per_tenant: threads, ..WorkerLimits::of_cores(1) };
        WorkerPool::new(limits)
    }

    fn a() -> Arc<str> {
        "a".into()
    }

    #[tokio::test]
    async fn work_that_comes_one_by_one_is_done_by_one_thread() {
        let workers = workers(4);
        let mut threads = HashSet::new();
        for _ in 0..20 {
            threads.insert(workers.run(&a(), PATIENT, me).await.unwrap());
        }
        assert_eq!(threads.len(), 1);
    }

    #[tokio::test]
    async fn of_several_at_rest_the_eldest_works() {
        let (workers, a) = (workers(2), a());
        let eldest = workers.run(&a, PATIENT, me).await;
        // Both work at once, and the eldest rests first.
        let (begin, begun) = channel();
        let (end, ended) = channel();
        let first = async {
            workers.run(&a, PATIENT, move || begun.recv().is_ok()).await.unwrap();
            end.send(()).unwrap();
        };
        let second = workers.run(&a, PATIENT, move || {
            begin.send(()).unwrap();
            ended.recv().unwrap();
            me()
        });
        let ((), youngest) = tokio::join!(first, second);
        assert_ne!(youngest, eldest);
        for _ in 0..3 {
            assert_eq!(workers.run(&a, PATIENT, me).await, eldest);
        }
    }

    #[tokio::test]
    async fn there_are_no_more_threads_than_allowed() {
        let workers = Arc::new(workers(2));
        let run = |_| {
            let workers = workers.clone();
            tokio::spawn(async move { workers.run(&a(), PATIENT, me).await.unwrap() })
        };
        let mut threads = HashSet::new();
        for task in (0..50).map(run).collect::<Vec<_>>() {
            threads.insert(task.await.unwrap());
        }
        assert!(threads.len() <= 2, "{} threads", threads.len());
    }

    #[tokio::test]
    async fn l7_a_defect_ends_the_work_and_not_the_thread() {
        let (workers, a) = (workers(1), a());
        let before = workers.run(&a, PATIENT, me).await;
        let defect = workers.run(&a, PATIENT, || -> usize { panic!("a defect") }).await;
        assert_eq!(defect, Err(WorkFailure::Failed));
        assert_eq!(workers.run(&a, PATIENT, me).await, before);
    }

    #[tokio::test]
    async fn d64_with_a_hundred_jobs_of_another_waiting_a_tenants_job_is_next() {
        let workers = Arc::new(workers(1));
        let order = Arc::new(Mutex::new(Vec::new()));
        let (let_go, held) = channel::<()>();
        let (begun, begins) = channel();
        let submit = |tenant: &'static str, work: Box<dyn FnOnce() + Send>| {
            let workers = workers.clone();
            tokio::spawn(async move { workers.run(&tenant.into(), PATIENT, work).await })
        };
        let note = |tenant: &'static str| {
            let order = order.clone();
            Box::new(move || order.lock().unwrap().push(tenant))
        };
        let first = submit(
            "a",
            Box::new(move || {
                begun.send(()).unwrap();
                let _ = held.recv();
            }),
        );
        while begins.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        let mut tasks: Vec<_> = (0..100).map(|_| submit("a", note("a"))).collect();
        tokio::task::yield_now().await;
        tasks.push(submit("b", note("b")));
        while lock(&workers.schedule).queued() < 101 {
            tokio::task::yield_now().await;
        }
        drop(let_go);
        first.await.unwrap().unwrap();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        let order = order.lock().unwrap();
        let place = order.iter().position(|tenant| *tenant == "b").unwrap();
        assert!(place <= 1, "behind {place} jobs of the other");
    }

    #[tokio::test]
    async fn d64_work_whose_caller_has_left_is_not_begun() {
        let (workers, a) = (Arc::new(workers(1)), a());
        let (let_go, held) = channel::<()>();
        let holding = workers.clone();
        let first = tokio::spawn(async move {
            holding.run(&"a".into(), PATIENT, move || held.recv().is_err()).await
        });
        while lock(&workers.schedule).busy() == 0 {
            tokio::task::yield_now().await;
        }
        let (begun, begins) = channel();
        let hurried = WorkPatience { queue: Duration::ZERO, ..PATIENT };
        let late = workers.run(&a, hurried, move || begun.send(()).is_ok()).await;
        assert_eq!(late, Err(WorkFailure::Busy));
        drop(let_go);
        first.await.unwrap().unwrap();
        workers.run(&a, PATIENT, || ()).await.unwrap();
        assert!(begins.try_recv().is_err());
    }
}
