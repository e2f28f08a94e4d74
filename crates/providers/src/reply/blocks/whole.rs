//! Replies that come as one document.

use super::grammar::BlockGrammar;
use crate::json::Node;
use crate::reply::edit::Edit;
use crate::reply::usage::TurnUsage;
use std::borrow::Cow;

/// What earlier replies said: the client has none of it yet.
#[derive(Default)]
pub(super) struct EarlierReplies {
    /// Their blocks, without calls of our tool.
    blocks: Vec<String>,
    /// The id of the first one, as it is written.
    id: Option<String>,
    /// The last one.
    body: String,
}

impl EarlierReplies {
    /// Remembers a reply that the client does not get.
    pub(super) fn keep<G: BlockGrammar>(&mut self, reply: &Node<'_>, body: &str) {
        self.blocks.extend(foreign::<G>(reply));
        if self.id.is_none() {
            self.id = reply.get("id").map(|id| id.raw().to_owned());
        }
        self.body = body.to_owned();
    }

    /// The client's reply: the last one, with what the earlier ones said before it, and `usage` if there were any.
    pub(super) fn last<'a, G: BlockGrammar>(
        &self,
        reply: &Node<'_>,
        body: &'a str,
        usage: Option<&TurnUsage>,
    ) -> Cow<'a, str> {
        let mut edit = Edit::new(body);
        let own = foreign::<G>(reply);
        let content = G::content(reply)
            .filter(|content| !self.blocks.is_empty() || own.len() != content.elements().len());
        if let Some(content) = content {
            edit.relist(&content, self.blocks.iter().chain(&own));
        }
        if let Some(usage) = usage {
            self.settle::<G>(reply, usage, &mut edit);
        }
        edit.done()
    }

    /// The client's reply if no last one comes: the one before that, as an answer that is over.
    pub(super) fn give_up<G: BlockGrammar>(
        &self,
        notice: &String,
        usage: &TurnUsage,
    ) -> Option<String> {
        let reply = Node::read(&self.body).ok()?;
        let mut edit = Edit::new(&self.body);
        edit.relist(&G::content(&reply)?, self.blocks.iter().chain([notice]));
        self.settle::<G>(&reply, usage, &mut edit);
        G::set_finished(&reply, &mut edit);
        Some(edit.done().into_owned())
    }

    /// Sets what stands around the blocks.
    fn settle<G: BlockGrammar>(&self, reply: &Node<'_>, usage: &TurnUsage, edit: &mut Edit<'_>) {
        G::set_tokens(reply, usage, edit);
        if let (Some(first), Some(id)) = (&self.id, reply.get("id")) {
            edit.replace(&id, first.clone());
        }
    }
}

/// The blocks that are not calls of our tool.
fn foreign<G: BlockGrammar>(reply: &Node<'_>) -> Vec<String> {
    let blocks = G::content(reply).map(|content| content.elements()).unwrap_or_default();
    let is_foreign = |block: &&Node<'_>| G::call(block).is_none_or(|call| !call.is_internal);
    blocks.iter().filter(is_foreign).map(|block| block.raw().to_owned()).collect()
}
