//! The tasks that were begun through us: which call each is of, and which session hears of it (bounded, the oldest go first).

use crate::bounded_map::{BoundedMap, key_bytes};
use crate::message::LONGEST_MESSAGE;
use crate::session::Session;
use crate::work::ToolCall;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::task::JoinHandle;

/// How many tasks are remembered. The result of one that is forgotten is passed on as it is.
pub(crate) const TASKS: usize = 1024;

/// How many bytes their ids and the arguments of their calls may have together: twice what one message may have.
pub(crate) const TASK_BYTES: usize = 2 * LONGEST_MESSAGE;

/// Whose task it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TaskKey {
    pub(crate) tenant: Arc<str>,
    pub(crate) prefix: Arc<str>,
    /// As its server calls it.
    pub(crate) id: String,
}

/// A task that was begun.
struct KnownTask {
    call: Arc<ToolCall>,
    /// The session of its client, if it has one.
    session: Option<Weak<Session>>,
    /// The store takes its call, while that lasts.
    keeping: Option<JoinHandle<()>>,
}

/// The tasks that were begun.
pub(crate) struct TaskRegistry(Mutex<BoundedMap<TaskKey, KnownTask>>);

impl Default for TaskRegistry {
    fn default() -> Self {
        TaskRegistry(Mutex::new(BoundedMap::new(TASKS, TASK_BYTES)))
    }
}

impl TaskRegistry {
    pub(crate) fn remember(
        &self,
        key: TaskKey,
        call: Arc<ToolCall>,
        session: Option<&Arc<Session>>,
        keeping: Option<JoinHandle<()>>,
    ) {
        let bytes = call.arguments.len() + key_bytes(&key.id);
        let task = KnownTask { call, session: session.map(Arc::downgrade), keeping };
        self.locked().insert(key, task, bytes);
    }

    /// Waits until the store has the call of this task, or cannot take it.
    pub(crate) async fn kept(&self, key: &TaskKey) {
        let keeping = self.locked().get_mut(key).and_then(|task| task.keeping.take());
        if let Some(keeping) = keeping {
            let _ = keeping.await;
        }
    }

    /// Is this a task that was begun by this tenant, or that it asked about since the start?
    pub(crate) fn has(&self, key: &TaskKey) -> bool {
        self.locked().get(key).is_some()
    }

    /// The call that a task is the work on.
    pub(crate) fn call(&self, key: &TaskKey) -> Option<Arc<ToolCall>> {
        Some(self.locked().get(key)?.call.clone())
    }

    /// The session that hears of a task.
    pub(crate) fn session(&self, key: &TaskKey) -> Option<Arc<Session>> {
        self.locked().get(key)?.session.as_ref()?.upgrade()
    }

    fn locked(&self) -> MutexGuard<'_, BoundedMap<TaskKey, KnownTask>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;
    use tokenforge_config::Structured;
    use tokenforge_formats::negotiate::StcVersion;

    #[test]
    fn m24_the_oldest_of_too_many_tasks_is_forgotten() {
        let call = |arguments: &str| {
            Arc::new(ToolCall {
                server: "s".to_owned(),
                tool: "t".to_owned(),
                arguments: arguments.to_owned(),
                rule: None,
                stc_version: StcVersion::One,
                structured: Structured::Keep,
                is_promised: false,
                started: Instant::now(),
            })
        };
        let key = |n: usize| TaskKey { tenant: "t".into(), prefix: "s".into(), id: n.to_string() };
        let tasks = TaskRegistry::default();
        for n in 0..=TASKS {
            tasks.remember(key(n), call("{}"), None, None);
        }
        tasks.remember(key(TASKS), call("{}"), None, None);
        assert!(tasks.call(&key(0)).is_none());
        assert!(tasks.call(&key(1)).is_some() && tasks.call(&key(TASKS)).is_some());
        let other = TaskKey { tenant: "other".into(), ..key(1) };
        assert!(tasks.call(&other).is_none(), "a task is its tenant's own");
        // However long its arguments are, a call is known; the oldest make room for it.
        let longest = call(&"x".repeat(LONGEST_MESSAGE));
        for n in [TASKS + 1, TASKS + 2] {
            tasks.remember(key(n), longest.clone(), None, None);
            assert!(tasks.call(&key(n)).is_some());
        }
        assert!(tasks.call(&key(TASKS)).is_none());
        // Ids count, too.
        let long = |n: usize| TaskKey { id: format!("{n}{}", "x".repeat(1 << 20)), ..key(n) };
        for n in 0..TASK_BYTES >> 21 {
            tasks.remember(long(n), call("{}"), None, None);
        }
        assert!(tasks.call(&long(0)).is_none() && tasks.call(&long(1)).is_some());
    }
}
