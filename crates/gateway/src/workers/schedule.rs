//! Fair queueing: which job a free thread does next. Pure but for what the jobs themselves do.

use super::{WorkFailure, WorkerLimits};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// Does the work, and returns the closure that sends its caller the result.
pub(super) type BoxedWork = Box<dyn FnOnce() -> ResultSender + Send>;

/// Tells the result.
pub(super) type ResultSender = Box<dyn FnOnce()>;

/// Work for a tenant.
pub(super) struct TenantTask {
    pub(super) tenant: Arc<str>,
    pub(super) work: BoxedWork,
}

/// A task for a thread, and the thread's way back to rest.
pub(super) struct AssignedTask {
    pub(super) task: TenantTask,
    pub(super) next: SyncSender<AssignedTask>,
    pub(super) number: usize,
}

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    Begun,
    Queued,
}

/// Who works, and what waits.
pub(super) struct FairSchedule {
    limits: WorkerLimits,
    /// Threads at rest, by when they began.
    resting: BTreeMap<usize, SyncSender<AssignedTask>>,
    /// How many threads have begun.
    begun: usize,
    /// How many threads work.
    busy: usize,
    /// How many tasks wait.
    queued: usize,
    /// Tenants that have a thread or a task that waits.
    shares: HashMap<Arc<str>, TenantShare>,
    /// Tenants that have a task that waits, each once: whose turn it is.
    turns: VecDeque<Arc<str>>,
}

#[derive(Default)]
struct TenantShare {
    running: usize,
    waiting: VecDeque<BoxedWork>,
}

impl FairSchedule {
    pub(super) fn new(limits: WorkerLimits) -> Self {
        FairSchedule {
            limits,
            resting: BTreeMap::new(),
            begun: 0,
            busy: 0,
            queued: 0,
            shares: HashMap::new(),
            turns: VecDeque::new(),
        }
    }

    /// Takes a task up: it comes back if a thread is to do it now.
    pub(super) fn admit(&mut self, task: TenantTask) -> Result<Option<TenantTask>, WorkFailure> {
        let TenantTask { tenant, work } = task;
        let share = self.shares.entry(tenant.clone()).or_default();
        if self.busy < self.limits.threads && share.running < self.limits.threads_per_tenant {
            share.running += 1;
            self.busy += 1;
            return Ok(Some(TenantTask { tenant, work }));
        }
        if self.queued >= self.limits.queued || share.waiting.len() >= self.limits.queued_per_tenant
        {
            self.forget_if_idle(&tenant);
            return Err(WorkFailure::Busy);
        }
        if share.waiting.is_empty() {
            self.turns.push_back(tenant);
        }
        share.waiting.push_back(work);
        self.queued += 1;
        Ok(None)
    }

    /// A task of this tenant is done; the one that the thread does next.
    pub(super) fn finish(&mut self, tenant: &Arc<str>) -> Option<TenantTask> {
        self.busy = self.busy.saturating_sub(1);
        if let Some(share) = self.shares.get_mut(tenant) {
            share.running = share.running.saturating_sub(1);
        }
        let next = self.next();
        self.forget_if_idle(tenant);
        next
    }

    /// The task whose turn it is, of a tenant that may have one more thread.
    fn next(&mut self) -> Option<TenantTask> {
        let most = self.limits.threads_per_tenant;
        let may_run =
            |tenant: &Arc<str>| self.shares.get(tenant).is_some_and(|share| share.running < most);
        let turn = self.turns.iter().position(may_run)?;
        let tenant = self.turns.remove(turn)?;
        let share = self.shares.get_mut(&tenant)?;
        let work = share.waiting.pop_front()?;
        share.running += 1;
        self.busy += 1;
        self.queued = self.queued.saturating_sub(1);
        if !share.waiting.is_empty() {
            self.turns.push_back(tenant.clone());
        }
        Some(TenantTask { tenant, work })
    }

    fn forget_if_idle(&mut self, tenant: &Arc<str>) {
        let is_idle = |share: &TenantShare| share.running == 0 && share.waiting.is_empty();
        if self.shares.get(tenant).is_some_and(is_idle) {
            self.shares.remove(tenant);
        }
    }

    /// The eldest thread at rest.
    pub(super) fn eldest_at_rest(&mut self) -> Option<(usize, SyncSender<AssignedTask>)> {
        self.resting.pop_first()
    }

    pub(super) fn rest(&mut self, number: usize, thread: SyncSender<AssignedTask>) {
        self.resting.insert(number, thread);
    }

    /// The number of a new thread.
    pub(super) fn number(&mut self) -> usize {
        self.begun += 1;
        self.begun
    }

    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        self.queued
    }

    #[cfg(test)]
    pub(super) fn busy(&self) -> usize {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: WorkerLimits =
        WorkerLimits { threads: 4, threads_per_tenant: 2, queued: 10, queued_per_tenant: 6 };

    fn task(tenant: &str) -> TenantTask {
        TenantTask { tenant: tenant.into(), work: Box::new(|| Box::new(|| ())) }
    }

    /// Whether a tenant's task begins at once; nothing if it is refused.
    fn begins(schedule: &mut FairSchedule, tenant: &str) -> Option<bool> {
        schedule.admit(task(tenant)).ok().map(|begun| begun.is_some())
    }

    #[test]
    fn d64_a_tenant_has_half_of_the_threads_and_a_bounded_queue() {
        let mut schedule = FairSchedule::new(LIMITS);
        for expected in [[true; 2].as_slice(), &[false; 6]].concat() {
            assert_eq!(begins(&mut schedule, "a"), Some(expected));
        }
        assert_eq!(begins(&mut schedule, "a"), None, "its queue is full");
        assert_eq!(begins(&mut schedule, "b"), Some(true));
        assert_eq!(begins(&mut schedule, "c"), Some(true));
        for _ in 0..4 {
            assert_eq!(begins(&mut schedule, "d"), Some(false), "all threads work");
        }
        assert_eq!(begins(&mut schedule, "e"), None, "too much waits");
        assert_eq!(schedule.shares.len(), 4, "a tenant that was refused is not remembered");
    }

    #[test]
    fn d64_tenants_take_turns_whatever_waits_for_each() {
        let mut schedule = FairSchedule::new(WorkerLimits { threads: 1, ..LIMITS });
        assert_eq!(begins(&mut schedule, "x"), Some(true));
        for tenant in ["a", "a", "a", "a", "b", "c", "b"] {
            assert_eq!(begins(&mut schedule, tenant), Some(false));
        }
        let mut order = Vec::new();
        let mut done: Arc<str> = "x".into();
        while let Some(next) = schedule.finish(&done) {
            order.push(next.tenant.to_string());
            done = next.tenant;
        }
        assert_eq!(order, ["a", "b", "c", "a", "b", "a", "a"]);
        assert!(schedule.shares.is_empty() && schedule.turns.is_empty());
        assert_eq!((schedule.busy, schedule.queued), (0, 0));
    }

    #[test]
    fn d64_a_tenant_at_its_share_waits_and_those_behind_it_do_not() {
        let mut schedule = FairSchedule::new(LIMITS);
        for tenant in ["a", "a", "b", "b"] {
            assert_eq!(begins(&mut schedule, tenant), Some(true));
        }
        assert_eq!(begins(&mut schedule, "a"), Some(false));
        assert_eq!(begins(&mut schedule, "b"), Some(false));
        let next = schedule.finish(&"b".into()).unwrap();
        assert_eq!(&*next.tenant, "b", "tenant a has its share");
        assert!(schedule.finish(&"b".into()).is_none(), "a thread rests rather than break it");
    }
}
