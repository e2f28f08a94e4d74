//! A whole reply: one chunk that has everything.

use super::{Chunk, GeminiReply, notice, parts};
use crate::json::Node;
use crate::reply::edit::Edit;
use crate::reply::rewriter::PassThrough;
use crate::reply::turn::NextStep;

impl GeminiReply {
    pub(super) fn read_whole(
        &mut self,
        body: &str,
        out: &mut Vec<u8>,
    ) -> Result<NextStep, PassThrough> {
        let reply = Chunk::read(body)?;
        if let Some(usage) = &reply.usage {
            self.figures.note(usage);
        }
        let mut edit = Edit::new(body);
        self.put_right(&reply, &mut edit);
        let kept = self.parts.take(&reply.parts, reply.is_strict());
        self.has_text |= reply.parts.iter().any(parts::is_text);
        if reply.goes_on(&self.parts) && self.parts.calls.are_internal() {
            self.earlier.extend(kept.into_iter().map(String::from));
            self.closing = vec![body.to_owned()];
            return Ok(self.ask());
        }
        let is_same = kept.iter().eq(reply.parts.iter().map(Node::raw));
        if !self.earlier.is_empty() || !is_same {
            let earlier = std::mem::take(&mut self.earlier);
            let all: Vec<String> =
                earlier.into_iter().chain(kept.into_iter().map(String::from)).collect();
            reply.set_parts(&all, &mut edit);
        }
        out.extend_from_slice(edit.done().as_bytes());
        self.deferred = self.parts.calls.deferred_calls();
        Ok(NextStep::Done)
    }

    /// Gives the client what the replies so far said.
    pub(super) fn end_whole(&mut self, out: &mut Vec<u8>) {
        let closing = std::mem::take(&mut self.closing);
        let Some(body) = closing.first() else { return };
        // It was read before.
        let Ok(reply) = Chunk::read(body) else { return };
        self.identity.settle();
        let mut edit = Edit::new(body);
        self.put_right(&reply, &mut edit);
        let mut parts = std::mem::take(&mut self.earlier);
        parts.push(notice(self.has_text));
        reply.set_finished(&mut edit);
        reply.set_parts(&parts, &mut edit);
        out.extend_from_slice(edit.done().as_bytes());
    }
}
