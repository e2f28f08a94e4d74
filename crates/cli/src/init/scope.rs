//! Where an entry counts, and which file of an agent has it then.

use crate::hook::HookAgent;
use tokenforge_agents::PathTemplate;

/// Where an entry counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookScope {
    /// Everywhere.
    Global,
    /// In one project.
    Project,
}

impl HookScope {
    pub(super) const ALL: [HookScope; 2] = [HookScope::Global, HookScope::Project];

    /// In words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            HookScope::Global => "in all projects",
            HookScope::Project => "in this project",
        }
    }

    /// The file that has the entry, whether it is there or not.
    pub(super) fn file(self, agent: HookAgent) -> &'static PathTemplate {
        match self {
            HookScope::Global => &agent.hook.global,
            HookScope::Project => &agent.hook.project,
        }
    }
}
