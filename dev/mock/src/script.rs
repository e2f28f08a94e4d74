//! What the mock answers: replies that a test queues, one for each question to the model.

use crate::fault::Fault;
use crate::pace::{Encoding, Split};
use bytes::Bytes;
use serde_json::Value;
use std::time::Duration;

/// What a model says, and how it gets to the client.
///
/// ```
/// use serde_json::json;
/// use tokenforge_mock::Reply;
///
/// let reply = Reply::new()
///     .thinking("The listing is shortened.")
///     .text("Let me look.")
///     .call("Bash", json!({"command": "ls"}));
/// # let _ = reply;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub(crate) says: Says,
    pub(crate) fault: Option<Fault>,
    pub(crate) chunk_every: Option<Duration>,
    pub(crate) split: Split,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) stop: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
}

/// The content of a reply.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    /// What a model says, in whatever dialect it was asked.
    Parts(Vec<Part>),
    /// Anything else, byte for byte.
    Raw { status: u16, headers: Vec<(String, String)>, body: Bytes },
}

impl Default for Says {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

/// One piece of what a model says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// What it thought, signed.
    Thinking(String),
    /// What it thought, hidden from the client: Anthropic's `redacted_thinking`. Other dialects leave it out.
    Redacted(String),
    /// Text for the user.
    Text(String),
    /// A call of a tool, its arguments as the model wrote them.
    Call { name: String, arguments: String },
    /// A call of `expand_context` with the first reference that the request carries.
    ExpandFirst,
}

impl Reply {
    /// A reply to which parts are added.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reply of one call.
    #[must_use]
    pub fn calling(name: &str, arguments: Value) -> Self {
        Self::new().call(name, arguments)
    }

    /// A reply that asks for the first `<<<SHADOW:...>>>` reference in the request, and says so if there is none.
    #[must_use]
    pub fn expand_first_reference() -> Self {
        Self::new().expand_first()
    }

    /// A reply with any status, headers and body: `429` with `retry-after`, a `500` in HTML.
    #[must_use]
    pub fn status(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            says: Says::Raw { status, headers: headers.collect(), body: body.into() },
            ..Self::default()
        }
    }

    /// Adds text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.and(Part::Text(text.into()))
    }

    /// Adds a block of thinking, which must come back unchanged.
    #[must_use]
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.and(Part::Thinking(text.into()))
    }

    /// Adds a block of thinking that the client cannot read, where the dialect has such; it must come back unchanged.
    #[must_use]
    pub fn redacted_thinking(self, text: impl Into<String>) -> Self {
        self.and(Part::Redacted(text.into()))
    }

    /// Adds a call of a tool.
    #[must_use]
    pub fn call(self, name: &str, arguments: Value) -> Self {
        self.call_as_written(name, &arguments.to_string())
    }

    /// Adds a call whose arguments are this text, JSON or not.
    #[must_use]
    pub fn call_as_written(self, name: &str, arguments: &str) -> Self {
        self.and(Part::Call { name: name.to_owned(), arguments: arguments.to_owned() })
    }

    /// Adds a call of `expand_context` with the first reference in the request.
    #[must_use]
    pub fn expand_first(self) -> Self {
        self.and(Part::ExpandFirst)
    }

    /// Ends with this stop reason, spelled as the dialect has it.
    #[must_use]
    pub fn stop(mut self, reason: &str) -> Self {
        self.stop = Some(reason.to_owned());
        self
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Waits this long before each event of a stream.
    #[must_use]
    pub fn chunk_every(mut self, pause: Duration) -> Self {
        self.chunk_every = Some(pause);
        self
    }

    /// Cuts the bytes of the body into writes.
    #[must_use]
    pub fn split(mut self, split: Split) -> Self {
        self.split = split;
        self
    }

    /// Compresses the body, whatever the client accepts.
    #[must_use]
    pub fn encoded(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// Goes wrong on the way.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// A reply that goes wrong before it says much.
    pub(crate) fn failing(fault: Fault) -> Self {
        Self::from("ok").fault(fault)
    }

    fn and(mut self, part: Part) -> Self {
        match &mut self.says {
            Says::Parts(parts) => parts.push(part),
            Says::Raw { .. } => self.says = Says::Parts(vec![part]),
        }
        self
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

/// The parts with references filled in from the request.
pub(crate) fn resolved(parts: &[Part], body: &[u8]) -> Vec<Part> {
    let resolve = |part: &Part| match part {
        Part::ExpandFirst => match first_reference(body) {
            Some(id) => Part::Call {
                name: "expand_context".to_owned(),
                arguments: serde_json::json!({ "id": id }).to_string(),
            },
            None => Part::Text("There is no reference in the request.".to_owned()),
        },
        other => other.clone(),
    };
    parts.iter().map(resolve).collect()
}

/// The id in the first `<<<SHADOW:shadow_…>>>` of a body. What only explains the form, as a tool's description does, is
/// none.
///
/// ```
/// use tokenforge_mock::first_reference;
///
/// assert_eq!(first_reference(b"see <<<SHADOW:shadow_1f>>>\n"), Some("shadow_1f"));
/// assert_eq!(first_reference(b"begins with <<<SHADOW:id>>>"), None);
/// ```
#[must_use]
pub fn first_reference(body: &[u8]) -> Option<&str> {
    let (mark, id) = (b"<<<SHADOW:", b"<<<SHADOW:shadow_");
    let after = body.windows(id.len()).position(|window| window == id)? + mark.len();
    let rest = body.get(after..)?;
    let end = rest.windows(3).take(200).position(|window| window == b">>>")?;
    str::from_utf8(rest.get(..end)?).ok()
}
