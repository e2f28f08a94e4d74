//! `/p/NAME` before a path: a name under which a client's requests are counted. Behind it `/shell/AGENT`, where the
//! program that started the agent found that its shell runs on this machine.

use http::Uri;
use std::sync::Arc;
use tokenforge_agents::Agent;

/// Longer names are no names.
const LONGEST: usize = 64;

/// What the path of an address says of the client that was given it.
#[derive(Debug, Default)]
pub(crate) struct ClientPath {
    /// The name under which its requests are counted.
    pub(crate) project: Option<Arc<str>>,
    /// The agent that it is, if commands of its shell run here.
    pub(crate) shell_of: Option<&'static Agent>,
}

/// Takes what is for us off the path.
pub(crate) fn take(uri: &mut Uri) -> ClientPath {
    let project = take_name(uri, "/p/", |name| is_name(name).then(|| Arc::from(name)));
    let agent =
        |name: &str| tokenforge_agents::find(name).filter(|agent| agent.local_shell.is_some());
    let shell_of = project.as_ref().and_then(|_| take_name(uri, "/shell/", agent));
    ClientPath { project, shell_of }
}

/// Takes a name that is known and stands behind this off the path.
fn take_name<T>(uri: &mut Uri, before: &str, known: impl Fn(&str) -> Option<T>) -> Option<T> {
    let path = uri.path_and_query()?;
    let (name, _) = path.path().strip_prefix(before)?.split_once('/')?;
    let found = known(name)?;
    let rest = path.as_str().get(before.len() + name.len()..)?.parse().ok()?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(rest);
    *uri = Uri::from_parts(parts).ok()?;
    Some(found)
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(path: &str) -> (Option<Arc<str>>, Option<&'static str>, String) {
        let mut uri: Uri = path.parse().unwrap();
        let ClientPath { project, shell_of } = take(&mut uri);
        (project, shell_of.map(|agent| agent.id.as_str()), uri.to_string())
    }

    #[test]
    fn the_name_is_taken_off_and_the_rest_stays() {
        let (project, shell, rest) = taken("/p/web/v1/messages?beta=true");
        assert_eq!((project.as_deref(), shell), (Some("web"), None));
        assert_eq!(rest, "/v1/messages?beta=true");
        for path in ["/v1/messages", "/p/web", "/p//v1", "/p/a%20b/v1", "/shell/claude/v1"] {
            assert_eq!(taken(path), (None, None, path.to_owned()));
        }
    }

    #[test]
    fn decision_38_a_local_shell_is_taken_off_behind_the_name() {
        let (project, shell, rest) = taken("/p/web/shell/claude/v1/messages?beta=true");
        assert_eq!((project.as_deref(), shell), (Some("web"), Some("claude")));
        assert_eq!(rest, "/v1/messages?beta=true");
        // An unknown agent, or one whose shell is not known to run here, is none: the path is the provider's.
        for agent in ["unknown", "codex", "Claude"] {
            let (_, shell, rest) = taken(&format!("/p/web/shell/{agent}/v1/messages"));
            assert_eq!((shell, rest), (None, format!("/shell/{agent}/v1/messages")));
        }
    }
}
