//! A client's request as a server is to see it: under an id of ours, with the names that the server gave.

use crate::edit::Edits;
use crate::era::{CAPABILITIES_KEY, CLIENT_KEY, MODERN, VERSION_KEY};
use crate::message::Message;
use serde_json::json;
use tokenforge_dialects::{Kind, Node};

/// A request on its way to a server.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// What is sent.
    pub text: String,
    /// How the client wrote the token under which it wants to hear of progress.
    pub token: Option<String>,
}

/// A request with another id, another progress token, and perhaps another name. `client` is told to servers of the
/// modern era, where the client itself does not speak it: who it is and what it can do, as JSON.
#[must_use]
pub fn outgoing(
    message: &Message<'_>,
    id: u64,
    rename: Option<(&[&str], &str)>,
    client: Option<(&str, &str)>,
) -> Outgoing {
    let mut edits = Edits::default();
    if let Some(node) = message.id_node() {
        edits.replace(node, id.to_string());
    }
    let params = message.params();
    if let (Some(params), Some((path, name))) = (params, rename) {
        let node = path.iter().try_fold(params.clone(), |node, key| node.get(key));
        if let Some(node) = node {
            edits.rename(&node, name);
        }
    }
    let meta =
        params.and_then(|params| params.get("_meta")).filter(|meta| meta.kind() == Kind::Object);
    let token = meta.as_ref().and_then(|meta| meta.get("progressToken"));
    if let Some(token) = &token {
        edits.replace(token, id.to_string());
    }
    if let Some((info, capabilities)) = client {
        introduce(&mut edits, message.root(), params, meta.as_ref(), info, capabilities);
    }
    Outgoing {
        text: edits.applied(message.text()),
        token: token.map(|token| token.raw().to_owned()),
    }
}

fn introduce(
    edits: &mut Edits,
    root: &Node<'_>,
    params: Option<&Node<'_>>,
    meta: Option<&Node<'_>>,
    info: &str,
    capabilities: &str,
) {
    let own = introduction(info, capabilities);
    match (params, meta) {
        (None, _) => edits.set(root, "params", &format!("{{\"_meta\":{own}}}")),
        (Some(params), None) => edits.set(params, "_meta", &own),
        // A progress token may be its only member.
        (Some(_), Some(meta)) if meta.members().is_empty() => edits.replace(meta, own),
        (Some(_), Some(meta)) => {
            let version = format!("\"{MODERN}\"");
            edits.set(meta, VERSION_KEY, &version);
            edits.set(meta, CLIENT_KEY, info);
            edits.set(meta, CAPABILITIES_KEY, capabilities);
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

/// A server's answer under the client's id.
#[must_use]
pub(crate) fn under_id(answer: &Message<'_>, id: &str) -> String {
    let mut edits = Edits::default();
    if let Some(node) = answer.id_node() {
        edits.replace(node, id);
    }
    edits.applied(answer.text())
}

/// A message about progress under the client's token.
#[must_use]
pub(crate) fn under_token(message: &Message<'_>, token: &str) -> String {
    let mut edits = Edits::default();
    if let Some(node) = message.param("progressToken") {
        edits.replace(&node, token);
    }
    edits.applied(message.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{ "jsonrpc":"2.0","params":{"name":"w__\u0074","arguments":{"n":1.0e2},"_meta":{"progressToken":"p"}},"id":"abc","method":"tools/call"}"#;

    #[test]
    fn m1_a_call_goes_on_under_the_name_its_server_gave_and_all_else_as_it_was() {
        let message = Message::read(CALL).unwrap();
        let sent = outgoing(&message, 7, Some((&["name"], "t")), None);
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
            let sent =
                outgoing(&Message::read(text).unwrap(), 3, None, Some(("{}", "{\"roots\":{}}")));
            let message = Message::read(&sent.text).unwrap();
            assert!(message.meta(VERSION_KEY).unwrap().is(MODERN), "{}", sent.text);
            assert_eq!(message.meta(CAPABILITIES_KEY).unwrap().raw(), "{\"roots\":{}}");
        }
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
