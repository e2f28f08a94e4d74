//! Where an entry counts, and which file of an agent has it then.

use crate::hook::HookAgent;
use tokenforge_agents::PathTemplate;

/// Where an entry counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everywhere.
    Global,
    /// In one project.
    Project,
}

impl Scope {
    pub(super) const ALL: [Scope; 2] = [Scope::Global, Scope::Project];

    /// In words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Scope::Global => "in all projects",
            Scope::Project => "in this project",
        }
    }

    /// The file that has the entry, whether it is there or not.
    pub(super) fn file(self, agent: HookAgent) -> &'static PathTemplate {
        match self {
            Scope::Global => &agent.hook.global,
            Scope::Project => &agent.hook.project,
        }
    }
}
