//! Our own member, `_forge`, cut out of a body that is otherwise left as it is.

use crate::answer::Problem;
use crate::options::RequestOptions;
use bytes::Bytes;
use tokenforge_providers::{Forge, Refusal, splice};

/// The body without the member; nothing if it has none, or is no JSON.
///
/// # Errors
/// The member occurs twice, or asks for something that does not exist.
pub(crate) fn without_member(
    body: &Bytes,
    options: &RequestOptions,
) -> Result<Option<Bytes>, Problem> {
    let forge = match Forge::find(body) {
        Ok(Some(forge)) => forge,
        Err(Refusal::Ambiguous { .. }) => {
            return Err(Problem::bad_request("_forge occurs twice; expected once"));
        }
        Ok(None) | Err(_) => return Ok(None),
    };
    let member = body.get(forge.value.clone()).map(String::from_utf8_lossy);
    options.clone().with_member(&member.unwrap_or_default())?;
    Ok(splice(body, &[forge.removed()]).map(Bytes::from))
}
