//! Expand route: how the model of a conversation fetches what is left out of results: with our tool, with a command in its
//! own shell, or not at all, so that nothing is left out.
//!
//! The tool costs its definition in every request, the command a line under every reference, and what the command prints
//! stays in the conversation, where an answer of the tool does not.
//! Measured by `tokenforge replay --expand-by tool|shell` on the sessions of the corpus, as if every shell in them were one
//! of this machine (o200k; the definition has 53 tokens, the line 27, the arguments of a call 27 and 36), in dollars:
//!
//! | session | requests | references | without us | tool | shell |
//! |---|---|---|---|---|---|
//! | Claude Code, the longest | 103 | 19 | 4.898 | 3.070 | 3.158 |
//! | Claude Code | 78 | 19 | 2.748 | 2.268 | 2.274 |
//! | Claude Code | 50 | 13 | 1.470 | 1.299 | 1.300 |
//! | Claude Code | 62 | 1 | 3.032 | 2.393 | 2.392 |
//! | two subagents | 15 | 0 | 0.619 | 0.496 | 0.495 |
//! | SWE-agent, the one with a reference | 14 | 1 | 0.127 | 0.116 (does not pay, lossless) | 0.109 |
//! | pi, references to old results only | 437 | 68 | 29.896 | 21.515 | 25.603 |
//!
//! How many references there will be is not known when a conversation begins. Where the prompt is large the tool is
//! cheaper over all of them, and what the shell would save in a short one is a tenth of a cent. Where the prompt is small the
//! tool is not offered, and the command costs nothing until there is a reference, which pays for its line itself (L2). Old
//! results are what models fetch most, and in long conversations, where it is dear that they stay: so at a cold cache, where
//! everything is written anew, such a conversation changes to the tool, for good. With that `auto` costs as much as `tool` on
//! all sets but SWE-agent's (0.978 of the bill instead of 0.987), where `shell` alone costs more on Claude Code's and pi's.
//!
//! Whether the shell can be used at all is decided in `exchange/local_shell.rs`. Both follow from what is the same in
//! every request of a conversation.

use tokenforge_config::{ExpandBy, ExpandInjection};

/// How a model fetches what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpandRoute {
    /// With the tool that is added to its list.
    Tool,
    /// With `tokenforge expand`, in its shell.
    Shell,
}

/// Is the tool worth its definition in every request? `pays`: it pays for itself.
pub fn is_tool_worth(injection: ExpandInjection, pays: impl FnOnce() -> bool) -> bool {
    match injection {
        ExpandInjection::FromStart | ExpandInjection::WhenReferenced => true,
        ExpandInjection::WhenItPays => pays(),
    }
}

/// Does the tool stand in the list of a request of a conversation in which it is offered?
pub fn is_tool_listed(injection: ExpandInjection, has_reference: impl FnOnce() -> bool) -> bool {
    match injection {
        ExpandInjection::WhenItPays | ExpandInjection::FromStart => true,
        ExpandInjection::WhenReferenced => has_reference(),
    }
}

/// What is possible in a conversation, and what the operator wants.
#[derive(Debug, Clone, Copy)]
pub struct RouteChoice {
    /// With what the operator wants models to fetch.
    pub expand_by: ExpandBy,
    /// The tool can be called.
    pub has_tool: bool,
    /// The command can be run.
    pub has_shell: bool,
}

impl RouteChoice {
    /// Can the model be told of the tool, whether that pays or not?
    #[must_use]
    pub fn can_offer(&self) -> bool {
        self.has_tool && self.expand_by != ExpandBy::Shell
    }

    /// May old results be left out of a conversation with this route, now or once the model is told of the tool?
    #[must_use]
    pub fn may_leave_out_old(&self, route: Option<ExpandRoute>) -> bool {
        self.can_offer() || route == Some(ExpandRoute::Shell)
    }

    /// Does a model with this route know already how to fetch old results? What it fetches in its shell stays in the
    /// conversation, so they are left to the tool where that can be offered.
    #[must_use]
    pub fn can_fetch_old(&self, route: Option<ExpandRoute>) -> bool {
        match route {
            Some(ExpandRoute::Tool) => true,
            Some(ExpandRoute::Shell) => !self.can_offer(),
            None => false,
        }
    }

    /// The way, if there is one. `pays`: is the tool worth its definition?
    #[must_use]
    pub fn route(&self, pays: impl FnOnce() -> bool) -> Option<ExpandRoute> {
        let shell = || self.has_shell.then_some(ExpandRoute::Shell);
        let tool = || (self.has_tool && pays()).then_some(ExpandRoute::Tool);
        match self.expand_by {
            ExpandBy::Auto => tool().or_else(shell),
            ExpandBy::Tool => tool(),
            ExpandBy::Shell => shell(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_38_the_tool_where_it_pays_the_shell_elsewhere_and_nothing_without_either() {
        use ExpandRoute::{Shell, Tool};
        let all = [
            (ExpandBy::Auto, [Some(Tool), Some(Tool), Some(Shell), None, Some(Shell), None]),
            (ExpandBy::Tool, [Some(Tool), Some(Tool), None, None, None, None]),
            (ExpandBy::Shell, [Some(Shell), None, Some(Shell), None, Some(Shell), None]),
        ];
        for (expand_by, routes) in all {
            let given = [
                (true, true, true),
                (true, true, false),
                (true, false, true),
                (true, false, false),
                (false, true, true),
                (false, true, false),
            ];
            for ((has_tool, pays, has_shell), route) in given.into_iter().zip(routes) {
                let choice = RouteChoice { expand_by, has_tool, has_shell };
                assert_eq!(
                    choice.route(|| pays),
                    route,
                    "{expand_by:?} {has_tool} {pays} {has_shell}"
                );
            }
        }
    }
}
