//! Bounded buffering: an answer that is no stream is read whole, unless it is too long for that.

use super::Upstream;
use crate::blocking::blocking;
use crate::http::body::Body;
use crate::http::read::Read;
use crate::upstream::Failure;
use bytes::Bytes;
use http_body::Body as _;

/// Reads and decodes an answer, as [`plain`] does.
pub(super) async fn read(answer: Upstream, most: usize) -> Result<Result<Upstream, Body>, Failure> {
    let plain = plain(answer, most).await?;
    Ok(plain.map(|plain| Upstream { body: plain.into(), coding: None, decoder: None }))
}

/// The text of an answer of up to `most` bytes. A longer one is given back as it came: so is one that becomes longer when
/// it is decoded, or that is not what it says, since that is between the upstream and the client.
pub(super) async fn plain(answer: Upstream, most: usize) -> Result<Result<Bytes, Body>, Failure> {
    let Upstream { body, coding, .. } = answer;
    if body.size_hint().lower() > most as u64 {
        return Ok(Err(body));
    }
    let wire = match body.read(most).await.map_err(|error| Failure::broken_off(&*error))? {
        Read::Whole(wire) => wire,
        Read::TooLong(body) => return Ok(Err(body)),
    };
    let Some(coding) = coding else { return Ok(Ok(wire)) };
    let coded = wire.clone();
    Ok(match blocking(move || coding.decode(&coded, most)).await {
        Some(Ok(plain)) => Ok(plain),
        _ => Err(wire.into()),
    })
}
