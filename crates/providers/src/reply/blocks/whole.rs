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
    /// The first one.
    first: String,
    /// The last one.
    body: String,
}

impl EarlierReplies {
    /// Remembers a reply that the client does not get.
    pub(super) fn keep<G: BlockGrammar>(&mut self, reply: &Node<'_>, body: &str) {
        self.blocks.extend(foreign::<G>(reply));
        if self.first.is_empty() {
            body.clone_into(&mut self.first);
        }
        body.clone_into(&mut self.body);
    }

    /// The client's reply: the last one, with what the earlier ones said before it, and `usage` if there were any. One that
    /// the provider keeps goes by its own id.
    pub(super) fn last<'a, G: BlockGrammar>(
        &self,
        reply: &Node<'_>,
        body: &'a str,
        usage: Option<&TurnUsage>,
        is_kept: bool,
    ) -> Cow<'a, str> {
        let mut edit = Edit::new(body);
        let own = foreign::<G>(reply);
        let content = G::content(reply)
            .filter(|content| !self.blocks.is_empty() || own.len() != content.elements().len());
        if let Some(content) = content {
            edit.relist(&content, self.blocks.iter().chain(&own));
        }
        if let Some(usage) = usage {
            self.settle::<G>(reply, usage, is_kept, &mut edit);
        }
        G::hide(reply, &mut edit);
        edit.done()
    }

    /// The client's reply if no last one comes: the one before that, as an answer that is over.
    pub(super) fn give_up<G: BlockGrammar>(
        &self,
        notice: &String,
        usage: &TurnUsage,
        is_kept: bool,
    ) -> Option<String> {
        let reply = Node::read(&self.body).ok()?;
        let mut edit = Edit::new(&self.body);
        edit.relist(&G::content(&reply)?, self.blocks.iter().chain([notice]));
        self.settle::<G>(&reply, usage, is_kept, &mut edit);
        G::set_finished(&reply, &mut edit);
        G::hide(&reply, &mut edit);
        Some(edit.done().into_owned())
    }

    /// Sets what stands around the blocks.
    fn settle<G: BlockGrammar>(
        &self,
        reply: &Node<'_>,
        usage: &TurnUsage,
        is_kept: bool,
        edit: &mut Edit<'_>,
    ) {
        G::set_tokens(reply, usage, edit);
        let Ok(first) = Node::read(&self.first) else { return };
        if let (Some(first), Some(id)) = (G::id(&first), G::id(reply))
            && !is_kept
        {
            edit.replace(&id, first.raw().to_owned());
        }
        G::restore(&first, reply, edit);
    }
}

/// The blocks that are not calls of our tool.
fn foreign<G: BlockGrammar>(reply: &Node<'_>) -> Vec<String> {
    let blocks = G::content(reply).map(|content| content.elements()).unwrap_or_default();
    let is_foreign = |block: &&Node<'_>| !G::is_of_ours(block);
    blocks.iter().filter(is_foreign).map(|block| block.raw().to_owned()).collect()
}
