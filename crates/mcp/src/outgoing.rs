//! A client's request as a server is to see it: under an id of ours, with the names that the server gave.

use crate::era::{CAPABILITIES_KEY, CLIENT_KEY, MODERN, SUBSCRIPTION_KEY, VERSION_KEY};
use crate::message::Message;
use serde_json::json;
use tokenforge_json::{Edit, Node, ValueKind, quote};

/// What a request of the modern era says in `_meta` beside what its client has to say.
const ENVELOPE: [&str; 4] =
    [VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY, "io.modelcontextprotocol/logLevel"];

/// A request on its way to a server.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// What is sent.
    pub text: String,
    /// How the client wrote the token under which it wants to hear of progress.
    pub token: Option<String>,
}

/// What a request says about its client.
#[derive(Debug, Clone, Copy)]
pub enum Introduction<'a> {
    /// What the client said, who speaks the era of the server.
    Own,
    /// To a server of the modern era: who the client is and what it can do, as JSON.
    Told {
        /// Who it is.
        info: &'a str,
        /// What it can do.
        capabilities: &'a str,
    },
    /// Nothing: a server of the legacy era was told in the handshake, and may refuse to be told again.
    Nothing,
}

/// A request with another id, another progress token, another introduction, and perhaps another name.
#[must_use]
pub fn outgoing(
    message: &Message<'_>,
    id: u64,
    rename: Option<(&[&str], &str)>,
    introduction: Introduction<'_>,
) -> Outgoing {
    let mut edits = Edit::new(message.text());
    if let Some(node) = message.id_node() {
        edits.replace(node, id.to_string());
    }
    let params = message.params();
    if let (Some(params), Some((path, name))) = (params, rename) {
        let node = path.iter().try_fold(params.clone(), |node, key| node.get(key));
        if let Some(node) = node {
            edits.replace(&node, quote(name));
        }
    }
    let meta = params
        .and_then(|params| params.get("_meta"))
        .filter(|meta| meta.kind() == ValueKind::Object);
    let token = meta.as_ref().and_then(|meta| meta.get("progressToken"));
    match (introduction, &meta) {
        (Introduction::Nothing, Some(meta)) => edits.replace(meta, without_envelope(meta, id)),
        _ => {
            if let Some(token) = &token {
                edits.replace(token, id.to_string());
            }
        }
    }
    if let Introduction::Told { info, capabilities } = introduction {
        introduce(&mut edits, &message.root(), params, meta.as_ref(), info, capabilities);
    }
    Outgoing { text: edits.done().into_owned(), token: token.map(|token| token.raw().to_owned()) }
}

/// What else a client says than the modern era wants said.
fn without_envelope(meta: &Node<'_>, id: u64) -> String {
    let kept = meta.members().into_iter().filter(|(name, _)| !ENVELOPE.contains(&&**name));
    let written = kept.map(|(name, value)| match &*name {
        "progressToken" => format!("\"progressToken\":{id}"),
        name => format!("{}:{}", quote(name), value.raw()),
    });
    format!("{{{}}}", written.collect::<Vec<String>>().join(","))
}

fn introduce(
    edits: &mut Edit<'_>,
    root: &Node<'_>,
    params: Option<&Node<'_>>,
    meta: Option<&Node<'_>>,
    info: &str,
    capabilities: &str,
) {
    let own = introduction(info, capabilities);
    match (params, meta) {
        (None, _) => edits.set_in_front(root, "params", format!("{{\"_meta\":{own}}}")),
        (Some(params), None) => edits.set_in_front(params, "_meta", own),
        // A progress token may be its only member.
        (Some(_), Some(meta)) if meta.members().is_empty() => edits.replace(meta, own),
        (Some(_), Some(meta)) => {
            edits.set_in_front(meta, VERSION_KEY, format!("\"{MODERN}\""));
            edits.set_in_front(meta, CLIENT_KEY, info.to_owned());
            edits.set_in_front(meta, CAPABILITIES_KEY, capabilities.to_owned());
        }
    }
}

/// What every request of the modern era says.
#[must_use]
pub(crate) fn introduction(info: &str, capabilities: &str) -> String {
    let version = json!(MODERN);
    format!(
        r#"{{"{VERSION_KEY}":{version},"{CLIENT_KEY}":{info},"{CAPABILITIES_KEY}":{capabilities}}}"#
    )
}

/// An answer under another id.
#[must_use]
pub(crate) fn under_id(answer: &Message<'_>, id: &str) -> String {
    let mut edits = Edit::new(answer.text());
    write_id(answer, id, &mut edits);
    edits.done().into_owned()
}

/// Writes the client's id over that of a server's answer.
pub(crate) fn write_id<'e>(answer: &Message<'_>, id: &'e str, edits: &mut Edit<'e>) {
    if let Some(node) = answer.id_node() {
        edits.replace(node, id);
    }
    let subscription = || answer.result_member("_meta")?.get(SUBSCRIPTION_KEY);
    if let Some(node) = subscription() {
        edits.replace(&node, id);
    }
}

/// What is said on a stream that the client listens to, under the id of the client's request.
#[must_use]
pub(crate) fn under_subscription(message: &Message<'_>, id: &str) -> String {
    let mut edits = Edit::new(message.text());
    if let Some(node) = message.meta(SUBSCRIPTION_KEY) {
        edits.replace(&node, id);
    }
    edits.done().into_owned()
}

/// A message about progress under the client's token.
#[must_use]
pub(crate) fn under_token(message: &Message<'_>, token: &str) -> String {
    let mut edits = Edit::new(message.text());
    if let Some(node) = message.param("progressToken") {
        edits.replace(&node, token);
    }
    edits.done().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{ "jsonrpc":"2.0","params":{"name":"w__\u0074","arguments":{"n":1.0e2},"_meta":{"progressToken":"p"}},"id":"abc","method":"tools/call"}"#;

    #[test]
    fn m1_a_call_goes_on_under_the_name_its_server_gave_and_all_else_as_it_was() {
        let message = Message::read(CALL).unwrap();
        let sent = outgoing(&message, 7, Some((&["name"], "t")), Introduction::Own);
        let expected = CALL
            .replace(r#""w__\u0074""#, r#""t""#)
            .replace(r#""abc""#, "7")
            .replace(r#""progressToken":"p""#, r#""progressToken":7"#);
        assert_eq!(sent.text, expected);
        assert_eq!(sent.token.as_deref(), Some("\"p\""));
    }

    #[test]
    fn a_server_of_the_modern_era_is_told_who_asks() {
        for text in [
            CALL,
            r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{}}}"#,
        ] {
            let told = Introduction::Told { info: "{}", capabilities: "{\"roots\":{}}" };
            let sent = outgoing(&Message::read(text).unwrap(), 3, None, told);
            let message = Message::read(&sent.text).unwrap();
            assert!(message.meta(VERSION_KEY).unwrap().is(MODERN), "{}", sent.text);
            assert_eq!(message.meta(CAPABILITIES_KEY).unwrap().raw(), "{\"roots\":{}}");
        }
    }

    #[test]
    fn m11_a_server_of_the_legacy_era_is_not_told_again_who_asks() {
        let text = r#"{"jsonrpc":"2.0","id":"m","method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":"p","own":1.0e2,"io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{}},"name":"t"}}"#;
        let sent = outgoing(&Message::read(text).unwrap(), 3, None, Introduction::Nothing);
        let expected = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"progressToken":3,"own":1.0e2},"name":"t"}}"#;
        assert_eq!(sent.text, expected);
        assert_eq!(sent.token.as_deref(), Some("\"p\""));
    }

    #[test]
    fn answers_and_progress_go_back_under_the_client_s_id_and_token() {
        let answer = Message::read(r#"{"result":{"id":7},"jsonrpc":"2.0","id":7}"#).unwrap();
        assert_eq!(
            under_id(&answer, "\"abc\""),
            r#"{"result":{"id":7},"jsonrpc":"2.0","id":"abc"}"#
        );
        let text = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#;
        let told = under_token(&Message::read(text).unwrap(), "\"p\"");
        assert_eq!(told, text.replace(":7,", ":\"p\","));
    }
}
