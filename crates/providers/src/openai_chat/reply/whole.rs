//! A whole reply: `choices[0].message`.

use super::{ChatReply, Chunk, finish_reason};
use crate::dialect::Dialect;
use crate::json::{Kind, Node};
use crate::reply::edit::{Edit, quoted};
use crate::reply::message::AssembledMessage;
use crate::reply::rewriter::{PassThrough, ended_notice};
use crate::reply::turn::{HiddenTurn, NextStep};

/// What the client is still to be given of earlier replies.
#[derive(Default)]
pub(super) struct EarlierReplies {
    message: AssembledMessage,
    logprobs: AssembledMessage,
}

impl ChatReply {
    pub(super) fn read_whole(
        &mut self,
        body: &str,
        out: &mut Vec<u8>,
    ) -> Result<NextStep, PassThrough> {
        let Chunk { root, choice, usage } = Chunk::read(body)?;
        let choice = choice.ok_or(PassThrough::Final)?;
        let message = choice.get("message").ok_or(PassThrough::Final)?;
        let calls = message.get("tool_calls").map(|list| list.elements()).unwrap_or_default();
        let kept = self.calls.take(&calls);
        let mut edit = Edit::new(body);
        self.identity.keep(&root, &mut edit);
        if let Some(usage) = &usage {
            self.figures.note(usage);
        }
        let goes_on = finish_reason(&choice).is_none_or(|finish| self.goes_on(&finish));
        if self.calls.are_internal() && goes_on {
            self.whole.take(&choice, &message);
            self.closing = vec![body.to_owned()];
            self.is_asked = true;
            let said = message.raw().to_owned();
            return Ok(NextStep::Ask(HiddenTurn::new(
                Dialect::OpenAiChat,
                said,
                self.calls.internal(),
            )));
        }
        if let Some(usage) = &usage {
            self.figures.put_right(usage, &mut edit);
        }
        self.whole.put_before(&choice, &message, &mut edit);
        if kept.is_empty() && !calls.is_empty() {
            edit.cut(&message, "tool_calls");
        } else if let (true, Some(list)) = (kept.len() < calls.len(), message.get("tool_calls")) {
            edit.relist(&list, kept);
        }
        out.extend_from_slice(edit.done().as_bytes());
        self.deferred = self.calls.deferred_calls();
        Ok(NextStep::Done)
    }

    /// Gives the client what the replies so far said.
    pub(super) fn end_whole(&mut self, out: &mut Vec<u8>) {
        let closing = std::mem::take(&mut self.closing);
        let Some(body) = closing.first() else { return };
        let mut edit = Edit::new(body);
        // It was read before.
        let Ok(Chunk { root, choice, usage }) = Chunk::read(body) else { return };
        self.identity.settle();
        self.identity.keep(&root, &mut edit);
        if let Some(usage) = usage {
            self.figures.put_right(&usage, &mut edit);
        }
        if let Some(choice) = choice {
            self.whole.put_over(&choice, &mut edit);
            edit.set(&choice, "finish_reason", quoted("stop"));
        }
        out.extend_from_slice(edit.done().as_bytes());
    }
}

impl EarlierReplies {
    /// Takes what a reply says that the client does not get.
    fn take(&mut self, choice: &Node<'_>, message: &Node<'_>) {
        for (name, value) in message.members() {
            if !matches!(&*name, "role" | "tool_calls") {
                self.message.add(&name, &value);
            }
        }
        for (name, value) in choice.get("logprobs").map(|node| node.members()).unwrap_or_default() {
            self.logprobs.add(&name, &value);
        }
    }

    /// Puts it before what a later reply says.
    fn put_before(&self, choice: &Node<'_>, message: &Node<'_>, edit: &mut Edit<'_>) {
        self.message.put_before(message, edit);
        match choice.get("logprobs").filter(|logprobs| logprobs.kind() == Kind::Object) {
            Some(logprobs) => self.logprobs.put_before(&logprobs, edit),
            None if self.logprobs.says("content") => {
                edit.set(choice, "logprobs", self.logprobs.json());
            }
            None => {}
        }
    }

    /// Lets a reply, which was taken, say all of it and call nothing.
    fn put_over(&self, choice: &Node<'_>, edit: &mut Edit<'_>) {
        let Some(message) = choice.get("message") else { return };
        edit.cut(&message, "tool_calls");
        let mut said = self.message.clone();
        said.say_more("content", &ended_notice(said.says("content")));
        said.put_over(&message, edit);
        if self.logprobs.says("content") {
            edit.set(choice, "logprobs", self.logprobs.json());
        }
    }
}
