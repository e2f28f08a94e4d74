//! Our own member, `_forge`, cut out of a body that is otherwise left as it is.

use crate::options::RequestOptions;
use crate::problem::RewriteProblem;
use crate::spliced_body::Replacement;
use bytes::Bytes;
use std::sync::Arc;
use tokenforge_providers::{ForgeMember, Refusal};

/// What takes the member out of the body; nothing if it has none, or is no JSON.
///
/// # Errors
/// The member occurs twice, asks for something that does not exist, or stands in a body that is too deep to be read.
pub fn forge_removal(
    body: &Bytes,
    options: &RequestOptions,
) -> Result<Option<Replacement>, RewriteProblem> {
    let forge = match ForgeMember::find(body) {
        Ok(Some(forge)) => forge,
        Err(Refusal::Ambiguous { .. }) => {
            return Err(RewriteProblem::bad_option("_forge occurs twice; expected once"));
        }
        Err(Refusal::TooDeep { .. }) if ForgeMember::is_named(body) => {
            let message = "the body nests too deep to be read (more than 512 levels), so _forge cannot be taken out of it; use the \
                           headers X-Forge-Mode and X-Forge-Session instead";
            return Err(RewriteProblem::bad_option(message));
        }
        Ok(None) | Err(_) => return Ok(None),
    };
    let member = body.get(forge.value.clone()).map(String::from_utf8_lossy);
    options.clone().with_member(&member.unwrap_or_default())?;
    let removal = forge.removal();
    Ok(Some((removal.range, Arc::from(&*removal.with))))
}
