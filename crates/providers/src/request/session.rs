//! Session ids: which session a request belongs to, as far as its client tells.

use super::slot::Slot;
use crate::json::Reader;
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The headers in which agents name their session, the most exact first.
static SESSION_HEADERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let headers = tokenforge_agents::all().iter().flat_map(|agent| &agent.session_headers);
    headers.map(String::as_str).collect()
});

/// The session that the headers of a request name, looked up by lower-case names.
///
/// ```
/// use tokenforge_providers::session_of_headers;
///
/// let session = session_of_headers(|name| (name == "thread-id").then_some("t1"));
/// assert_eq!(session, Some("t1"));
/// ```
pub fn session_of_headers<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<&'h str> {
    let value = |name: &&str| header(name).map(str::trim).filter(|value| !value.is_empty());
    SESSION_HEADERS.iter().find_map(value)
}

/// Reads `{"user_id": …}`.
pub(crate) fn read_user<'a>(reader: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, Refusal> {
    let mut user = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "user_id" => user.set(&key, reader.text()?),
        _ => reader.skip(),
    })?;
    Ok(user.take())
}

/// The session in the id of a user, which Claude Code makes of several: as JSON, before that with underscores.
pub(crate) fn session_of_user(user: Cow<'_, str>) -> Cow<'_, str> {
    if let Some(session) = session_id(&user) {
        return Cow::Owned(session);
    }
    match user.rsplit_once("_session_") {
        Some((_, session)) if !session.is_empty() => Cow::Owned(session.to_owned()),
        _ => user,
    }
}

fn session_id(user: &str) -> Option<String> {
    let mut reader = Reader::over(user);
    let mut session = Slot::default();
    let read = reader.object(|reader, key| match &*key.name {
        "session_id" => session.set(&key, reader.text()?),
        _ => reader.skip(),
    });
    read.and(reader.finish()).ok()?;
    session.take().map(Cow::into_owned).filter(|session| !session.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_header_of_several_counts() {
        let order = [
            "x-claude-code-session-id",
            "session-id",
            "thread-id",
            "x-session-id",
            "x-session-affinity",
            "session_id",
        ];
        assert_eq!(SESSION_HEADERS[..], order);
        let sent = [("session_id", "c"), ("thread-id", "b"), ("session-id", " ")];
        let header = |name: &str| sent.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
        assert_eq!(session_of_headers(header), Some("b"));
    }
}
