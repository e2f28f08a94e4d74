//! Bounded buffering: an answer that is no stream is read whole, unless it is too long for that.

use super::UpstreamAnswer;
use bytes::Bytes;
use http_body::Body as _;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::read::BodyRead;
use tokenforge_proxy::upstream::UpstreamFailure;

/// Reads and decodes an answer, as [`plain`] does.
pub(super) async fn read(
    answer: UpstreamAnswer,
    most: usize,
) -> Result<Result<UpstreamAnswer, Body>, UpstreamFailure> {
    let plain = plain(answer, most).await?;
    Ok(plain.map(|plain| UpstreamAnswer { body: plain.into(), coding: None, decoder: None }))
}

/// The text of an answer of up to `most` bytes. A longer one is given back as it came: so is one that becomes longer when
/// it is decoded, or that is not what it says, since that is between the upstream and the client.
pub(super) async fn plain(
    answer: UpstreamAnswer,
    most: usize,
) -> Result<Result<Bytes, Body>, UpstreamFailure> {
    let UpstreamAnswer { body, coding, .. } = answer;
    if body.size_hint().lower() > most as u64 {
        return Ok(Err(body));
    }
    let wire = match body.read(most).await.map_err(|error| UpstreamFailure::broken_off(&*error))? {
        BodyRead::Whole(wire) => wire,
        BodyRead::TooLong(body) => return Ok(Err(body)),
    };
    let Some(coding) = coding else { return Ok(Ok(wire)) };
    let coded = wire.clone();
    Ok(match run_blocking(move || coding.decode(&coded, most)).await {
        Some(Ok(plain)) => Ok(plain),
        _ => Err(wire.into()),
    })
}
