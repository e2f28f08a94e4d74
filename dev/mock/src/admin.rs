//! The mock's own paths, for programs that cannot hold it: `/_mock/requests` and `/_mock/replies`.

use crate::answer::Answer;
use crate::record::{Happened, Recorded};
use crate::script_file;
use crate::shared::{Shared, Source};
use http::Method;
use serde_json::{Map, Value, json};

/// How those paths begin.
pub(crate) const PREFIX: &str = "/_mock/";

/// Shows what was recorded, queues replies, or forgets.
pub(crate) fn answer(request: &Recorded, shared: &Shared) -> Answer {
    let done = || Answer::json(200, &json!({ "ok": true }));
    match (&request.method, request.path_and_query.as_str()) {
        (&Method::GET, "/_mock/requests") => Answer::json(
            200,
            &shared.log.look(|happened| happened.requests.iter().map(shown).collect::<Value>()),
        ),
        (&Method::DELETE, "/_mock/requests") => {
            shared.log.note(Happened::clear);
            done()
        }
        (&Method::POST, "/_mock/replies") => match script_file::read(&request.plain()) {
            Ok(replies) => {
                shared.queue().next.extend(replies.into_iter().map(Source::Ready));
                done()
            }
            Err(error) => Answer::json(400, &json!({ "error": error })),
        },
        (&Method::DELETE, "/_mock/replies") => {
            shared.queue().next.clear();
            done()
        }
        _ => Answer::json(
            404,
            &json!({ "error": "GET or DELETE /_mock/requests, POST or DELETE /_mock/replies" }),
        ),
    }
}

/// A request as JSON; its body as JSON where it is that, else as text.
fn shown(request: &Recorded) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers: Map<String, Value> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(text(value.as_bytes()))))
        .collect();
    let body = match request.json() {
        Value::Null => json!(text(&request.body)),
        body => body,
    };
    json!({
        "method": request.method.as_str(),
        "path": request.path_and_query,
        "headers": headers,
        "body": body,
        "refused": request.refused,
    })
}
