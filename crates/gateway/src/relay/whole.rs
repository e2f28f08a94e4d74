//! Bounded buffering: an answer that is no stream is read whole, unless it is too long for that.

use super::UpstreamAnswer;
use http_body::Body as _;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::read::BodyRead;
use tokenforge_proxy::upstream::UpstreamFailure;

/// Reads and decodes an answer, as [`plain`] does.
pub(super) async fn read(
    answer: UpstreamAnswer,
    most: usize,
) -> Result<BodyRead<UpstreamAnswer>, UpstreamFailure> {
    Ok(match plain(answer, most).await? {
        BodyRead::Whole(plain) => {
            BodyRead::Whole(UpstreamAnswer { body: plain.into(), coding: None, decoder: None })
        }
        BodyRead::TooLong(body) => BodyRead::TooLong(body),
    })
}

/// The text of an answer of up to `most` bytes. A longer one is given back as it came: so is one that becomes longer when
/// it is decoded, or that is not what it says, since that is between the upstream and the client.
pub(super) async fn plain(
    answer: UpstreamAnswer,
    most: usize,
) -> Result<BodyRead, UpstreamFailure> {
    let UpstreamAnswer { body, coding, .. } = answer;
    if body.size_hint().lower() > most as u64 {
        return Ok(BodyRead::TooLong(body));
    }
    let wire = match body.read(most).await.map_err(|error| UpstreamFailure::broken_off(&*error))? {
        BodyRead::Whole(wire) => wire,
        too_long @ BodyRead::TooLong(_) => return Ok(too_long),
    };
    let Some(coding) = coding else { return Ok(BodyRead::Whole(wire)) };
    let coded = wire.clone();
    Ok(match run_blocking(move || coding.decode(&coded, most)).await {
        Some(Ok(plain)) => BodyRead::Whole(plain),
        _ => BodyRead::TooLong(wire.into()),
    })
}
