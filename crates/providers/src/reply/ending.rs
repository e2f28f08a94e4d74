//! Stop reasons: why a reply ended, and whether it goes on.

use super::turn::InternalCall;
use crate::json::{Kind, Node};

/// Why a reply of the upstream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyEnding {
    /// The model ended its turn.
    Turn,
    /// No more tokens were allowed.
    Length,
    /// The provider does not let it go on: a filter, a full context, an error.
    Stopped,
}

impl ReplyEnding {
    /// Whether the upstream is asked again after a reply that calls our tool and nothing else.
    ///
    /// A call that is complete when the tokens run out is answered like any other: the client cannot see it, so the reply
    /// would seem to end for nothing, and what the model asked for is what it needs to go on. Half a call is no question:
    /// the client is told that the tokens ran out, and decides.
    pub(crate) fn goes_on(self, calls: impl FnOnce() -> Vec<InternalCall>) -> bool {
        match self {
            Self::Turn => true,
            Self::Length => calls().iter().all(is_complete),
            Self::Stopped => false,
        }
    }
}

/// Whether the model wrote all that it asks for: something, and to its end.
fn is_complete(call: &InternalCall) -> bool {
    let asked = Node::read(&call.arguments);
    asked.is_ok_and(|asked| asked.kind() == Kind::Object && !asked.members().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_to_the_end_is_answered_when_the_tokens_ran_out() {
        for (arguments, is_asked) in [
            (r#"{"id":"s"}"#, true),
            (r#"{"id":"s"#, false),
            ("{}", false),
            ("", false),
            ("[1]", false),
        ] {
            let calls =
                || vec![InternalCall { id: String::new(), arguments: arguments.to_owned() }];
            assert_eq!(ReplyEnding::Length.goes_on(calls), is_asked, "{arguments}");
            assert!(ReplyEnding::Turn.goes_on(calls) && !ReplyEnding::Stopped.goes_on(calls));
        }
    }
}
