//! Session ids: which session a request belongs to, as far as its client tells.

use super::slot::Slot;
use crate::json::Reader;
use crate::refusal::Refusal;
use std::borrow::Cow;

/// The headers in which clients name their session, the most exact first.
const HEADERS: [&str; 6] = [
    "x-claude-code-session-id",
    "session-id",
    "thread-id",
    "x-session-id",
    "x-session-affinity",
    "session_id",
];

/// The session that the headers of a request name, looked up by lower-case names.
///
/// ```
/// use tokenforge_providers::session_of_headers;
///
/// let session = session_of_headers(|name| (name == "thread-id").then_some("t1"));
/// assert_eq!(session, Some("t1"));
/// ```
pub fn session_of_headers<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<&'h str> {
    HEADERS.iter().find_map(|name| header(name).map(str::trim).filter(|value| !value.is_empty()))
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
