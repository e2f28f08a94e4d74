//! Deferred calls: those of our own tool that came together with the client's own.

use super::edit::{joined, quoted};
use crate::json::Node;

/// Calls of our own tool that came together with the client's own. The client answers only its own, so the next request
/// has to be given these and their answers.
///
/// ```
/// use tokenforge_providers::{DeferredCalls, DeferredCall};
///
/// let call = r#"{"type":"tool_use","id":"t2","name":"expand_context","input":{}}"#.to_owned();
/// let call = DeferredCall { id: "t2".to_owned(), arguments: "{}".to_owned(), call, siblings_before: 1 };
/// let deferred = DeferredCalls { siblings: vec!["t1".to_owned()], calls: vec![call] };
/// assert_eq!(DeferredCalls::from_json(&deferred.to_json()), Some(deferred));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeferredCalls {
    /// The ids of the client's own calls in the same turn, in order. In dialects without ids: their names.
    pub siblings: Vec<String>,
    /// Our calls, in order.
    pub calls: Vec<DeferredCall>,
}

/// A call of our own tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeferredCall {
    /// Its id; empty where the dialect has none.
    pub id: String,
    /// What it asks for, as the model wrote it: JSON, maybe invalid.
    pub arguments: String,
    /// The call as the conversation of the dialect has it: a block, a part, an item, or an element of `tool_calls`.
    pub call: String,
    /// How many of the siblings came before it.
    pub siblings_before: usize,
}

impl DeferredCalls {
    /// As JSON, to be kept.
    #[must_use]
    pub fn to_json(&self) -> String {
        let siblings = joined(self.siblings.iter().map(|id| quoted(id)));
        let calls = joined(self.calls.iter().map(DeferredCall::to_json));
        format!(r#"{{"siblings":[{siblings}],"calls":[{calls}]}}"#)
    }

    /// What [`to_json`](Self::to_json) wrote. Nothing if it is anything else.
    #[must_use]
    pub fn from_json(json: &str) -> Option<Self> {
        let node = Node::read(json).ok()?;
        let text = |node: &Node<'_>| node.text().map(|text| text.into_owned());
        let siblings = node.get("siblings")?.elements().iter().map(text).collect::<Option<_>>()?;
        let calls = node.get("calls")?.elements();
        let calls = calls.iter().map(DeferredCall::from_node).collect::<Option<_>>()?;
        Some(DeferredCalls { siblings, calls })
    }
}

impl DeferredCall {
    fn to_json(&self) -> String {
        format!(
            r#"{{"id":{},"arguments":{},"call":{},"siblings_before":{}}}"#,
            quoted(&self.id),
            quoted(&self.arguments),
            quoted(&self.call),
            self.siblings_before
        )
    }

    fn from_node(node: &Node<'_>) -> Option<Self> {
        let text = |name| Some(node.get(name)?.text()?.into_owned());
        Some(DeferredCall {
            id: text("id")?,
            arguments: text("arguments")?,
            call: text("call")?,
            siblings_before: usize::try_from(node.get("siblings_before")?.number()?).ok()?,
        })
    }
}
