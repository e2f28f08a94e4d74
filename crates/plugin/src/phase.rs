//! When in the life of a request a plugin is called.

use std::fmt;
use std::ops::BitOr;

/// A moment in the life of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The head of the request has been read; its tenant is not known yet.
    PreAuth,
    /// The tenant is known.
    PostAuth,
    /// The request is about to go upstream. Its body can be seen.
    PreUpstream,
    /// The upstream has answered. The body of the response can be seen.
    PostUpstream,
    /// A tool is about to be called on its server. Its arguments can be seen.
    ToolCall,
    /// The tool has answered. Its result can be seen.
    ToolResult,
    /// The request failed, and the response that says so is about to go out. Its body can be seen.
    OnError,
}

impl Phase {
    /// Every phase, in the order in which a request meets them. Its way leads either upstream or to tools.
    pub const ALL: &'static [Self] = &[
        Self::PreAuth,
        Self::PostAuth,
        Self::PreUpstream,
        Self::PostUpstream,
        Self::ToolCall,
        Self::ToolResult,
        Self::OnError,
    ];

    /// The name in settings, metrics and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreAuth => "pre_auth",
            Self::PostAuth => "post_auth",
            Self::PreUpstream => "pre_upstream",
            Self::PostUpstream => "post_upstream",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::OnError => "on_error",
        }
    }

    /// Is the request still ahead, so that its headers may change?
    pub(crate) const fn is_before_upstream(self) -> bool {
        matches!(self, Self::PreAuth | Self::PostAuth | Self::PreUpstream)
    }

    /// Can the body of the request be seen?
    pub(crate) const fn shows_request_body(self) -> bool {
        matches!(self, Self::PreUpstream)
    }

    /// Is there a response? Where there is, its body can be seen too.
    pub(crate) const fn shows_response(self) -> bool {
        matches!(self, Self::PostUpstream | Self::OnError)
    }

    /// Can the arguments of a tool call be seen?
    pub(crate) const fn shows_tool_arguments(self) -> bool {
        matches!(self, Self::ToolCall)
    }

    /// Can the result of a tool call be seen?
    pub(crate) const fn shows_tool_result(self) -> bool {
        matches!(self, Self::ToolResult)
    }

    /// Is there anything that a plugin has to declare a need for?
    pub(crate) const fn shows_a_body(self) -> bool {
        !matches!(self, Self::PreAuth | Self::PostAuth)
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of phases.
///
/// ```
/// use tokenforge_plugin::{Phase, Phases};
///
/// let phases = Phase::PreAuth | Phase::OnError;
/// assert!(phases.contains(Phase::OnError));
/// assert!(!phases.contains(Phase::PostAuth));
/// assert!(Phases::from(Phase::PreAuth).contains(Phase::PreAuth));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Phases(u16);

impl Phases {
    /// No phase at all.
    pub const NONE: Self = Self(0);

    /// Is the phase in the set?
    pub const fn contains(self, phase: Phase) -> bool {
        self.0 & (1 << phase.index()) != 0
    }

    /// The phases of the set, in the order in which a request meets them.
    pub fn iter(self) -> impl Iterator<Item = Phase> {
        Phase::ALL.iter().copied().filter(move |phase| self.contains(*phase))
    }
}

impl From<Phase> for Phases {
    fn from(phase: Phase) -> Self {
        Self(1 << phase.index())
    }
}

impl<T: Into<Phases>> BitOr<T> for Phase {
    type Output = Phases;

    fn bitor(self, other: T) -> Phases {
        Phases::from(self) | other
    }
}

impl<T: Into<Phases>> BitOr<T> for Phases {
    type Output = Phases;

    fn bitor(self, other: T) -> Phases {
        Phases(self.0 | other.into().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_every_phase_at_its_index() {
        for (index, phase) in Phase::ALL.iter().enumerate() {
            assert_eq!(phase.index(), index, "{phase}");
        }
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let phases = Phase::OnError | Phase::PreAuth | Phase::PreAuth;
        assert!(phases.iter().eq([Phase::PreAuth, Phase::OnError]));
        assert_eq!(Phases::NONE.iter().count(), 0);
    }
}
