//! Amazon Bedrock: Converse, and InvokeModel with an Anthropic model.

mod action;
mod converse;
mod error;
mod invoke;
mod reply;
mod request;

pub(crate) use converse::Converse;
pub(crate) use invoke::InvokeModel;

use crate::detect::{Endpoint, RequestPath, RequestPurpose};
use crate::reply::WireFormat;

/// The media type of a stream, and its framing.
const STREAM_TYPE: (&str, WireFormat) =
    ("application/vnd.amazon.eventstream", WireFormat::EventStream);

/// How paths begin that are Bedrock's alone.
const OWN_PATHS: &[&str] = &["/model/", "/inference-profiles"];

/// `…/model/ID/ACTION`, where an ID that is an ARN may have slashes of its own.
fn endpoint<'p>(path: &RequestPath<'p>, whole: &str, streamed: &str) -> Option<Endpoint<'p>> {
    let [.., action] = path.end;
    let is_stream = action == streamed;
    if !is_stream && action != whole {
        return None;
    }
    let (_, model) = path.whole.split_once("/model/")?;
    let (model, _) = model.rsplit_once('/')?;
    let model = Some(model).filter(|model| !model.is_empty());
    Some(Endpoint { purpose: RequestPurpose::Generate, model, is_stream: Some(is_stream) })
}
