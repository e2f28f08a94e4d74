//! The tool that a call went to, for telling whether two calls went to the same one.

use super::ToolKind;
use crate::context::RoutedCall;

/// The tool that a call went to.
///
/// Two agents' names for one kind of tool are the same tool. Tools of no known kind have nothing in common, so they are
/// the same only if their names are: `get_user` and `get_order` may return equal texts about different things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CalledTool {
    /// A tool that does what is known.
    Known(ToolKind),
    /// Any other tool, by its name.
    Named(Box<str>),
}

impl CalledTool {
    /// The tool of a call with this name and these arguments (JSON text).
    pub(crate) fn of(name: &str, arguments: &str) -> Self {
        match ToolKind::canonical(name) {
            ToolKind::Other | ToolKind::Mcp => Self::Named(name.into()),
            ToolKind::Router => Self::Named(RoutedCall::read(arguments).spell(name).into()),
            kind => Self::Known(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: (&str, &str), other: (&str, &str)) -> bool {
        CalledTool::of(one.0, one.1) == CalledTool::of(other.0, other.1)
    }

    #[test]
    fn f11_a_known_kind_is_one_tool_whatever_its_name() {
        assert!(is_same(("Bash", "{}"), ("exec_command", "{}")));
        assert!(!is_same(("Bash", "{}"), ("Read", "{}")));
    }

    #[test]
    fn f11_tools_of_no_known_kind_are_told_apart_by_name() {
        assert!(is_same(("get_user", r#"{"id":1}"#), ("get_user", r#"{"id":2}"#)));
        assert!(!is_same(("get_user", "{}"), ("get_order", "{}")));
        assert!(!is_same(("mcp__shop__user", "{}"), ("mcp__shop__order", "{}")));
        assert!(!is_same(("mcp__a__user", "{}"), ("mcp__b__user", "{}")));
    }

    #[test]
    fn f11_calls_through_a_router_are_told_apart_by_server_and_tool() {
        let call = |server: &str, tool: &str| {
            format!(r#"{{"server_name":"{server}","tool_name":"{tool}","arguments":{{}}}}"#)
        };
        let [user, order, elsewhere] =
            [call("shop", "user"), call("shop", "order"), call("club", "user")];
        assert!(is_same(("use_mcp_tool", &user), ("use_mcp_tool", &user)));
        assert!(!is_same(("use_mcp_tool", &user), ("use_mcp_tool", &order)));
        assert!(!is_same(("use_mcp_tool", &user), ("use_mcp_tool", &elsewhere)));
    }
}
