//! The identity of a reply: what a client takes for the same in all events, its id, its model, when it was made.

use super::edit::Edit;
use crate::json::Node;

/// The members that stay the same for the client, over as many replies of the upstream as it takes.
pub(crate) struct ReplyIdentity {
    names: &'static [&'static str],
    /// As the first reply had them.
    first: Vec<Option<String>>,
    is_settled: bool,
}

impl ReplyIdentity {
    pub(crate) fn new(names: &'static [&'static str]) -> Self {
        ReplyIdentity { names, first: vec![None; names.len()], is_settled: false }
    }

    /// The first reply is over.
    pub(crate) fn settle(&mut self) {
        self.is_settled = true;
    }

    /// Whether this is a later reply.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Takes the members from an object of the first reply, or gives them to one of a later reply.
    pub(crate) fn keep(&mut self, object: &Node<'_>, edit: &mut Edit<'_>) {
        for (name, node) in object.members() {
            let Some(at) = self.names.iter().position(|known| *known == name) else { continue };
            let first = &mut self.first[at];
            if first.as_deref() == Some(node.raw()) {
                continue;
            }
            match first {
                Some(first) if self.is_settled => edit.replace(&node, first.clone()),
                // Some providers begin with an event that has an empty id.
                _ => *first = Some(node.raw().to_owned()),
            }
        }
    }

    /// The members, as an event of our own begins with them: each with a comma behind it.
    pub(crate) fn json(&self) -> String {
        let known = self.names.iter().zip(&self.first);
        known.filter_map(|(name, value)| Some(format!("\"{name}\":{},", value.as_ref()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(identity: &mut ReplyIdentity, json: &str) -> String {
        let mut edit = Edit::new(json);
        identity.keep(&Node::read(json).unwrap(), &mut edit);
        edit.done().into_owned()
    }

    #[test]
    fn a_later_reply_goes_by_the_id_of_the_first() {
        let mut identity = ReplyIdentity::new(&["id", "model"]);
        assert_eq!(keep(&mut identity, r#"{"id":""}"#), r#"{"id":""}"#);
        assert_eq!(keep(&mut identity, r#"{"id":"a","at":1}"#), r#"{"id":"a","at":1}"#);
        identity.settle();
        assert_eq!(keep(&mut identity, r#"{"at":2,"id": "b"}"#), r#"{"at":2,"id": "a"}"#);
        assert_eq!(keep(&mut identity, r#"{"model":"m"}"#), r#"{"model":"m"}"#);
        assert_eq!(identity.json(), r#""id":"a","model":"m","#);
    }
}
