//! Objects: `key: value` lines at one depth.

use super::duplicates::{first_repeat, last_occurrences};
use super::token::{LineKind, LineToken, LineView};
use super::{ContentLine, ToonDecoder, write};
use crate::key_filter::KeyFilter;
use tokenforge_json::error::{Fault, FaultKind};

/// A member of an object that is being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// Where its key starts and ends in the output, quotes included.
    key: (usize, usize),
    /// Where its key starts in the input.
    source: usize,
}

/// An object that is being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenObject {
    /// The index of its first member in the decoder's members.
    first: usize,
    /// Its keys. As long as the filter is sure of each, none is there twice.
    keys: KeyFilter,
    may_repeat: bool,
}

impl ToonDecoder<'_> {
    /// Writes the object whose first member is `first`, already taken, and the others at `depth`.
    pub(super) fn object(
        &mut self,
        first: ContentLine,
        kind: LineKind,
        depth: usize,
    ) -> Result<(), Fault> {
        let mut object = self.open_object(first.start)?;
        self.member(&mut object, first, kind, depth)?;
        while let Some(line) = self.next_at(depth)? {
            let kind = self.view(line).kind(line.start)?;
            self.member(&mut object, line, kind, depth)?;
        }
        self.close_object(object)
    }

    fn member(
        &mut self,
        object: &mut OpenObject,
        line: ContentLine,
        kind: LineKind,
        depth: usize,
    ) -> Result<(), Fault> {
        let view = self.view(line);
        match kind {
            LineKind::Pair { key } => {
                self.key(object, view, key)?;
                self.member_value(view, key.end + 1, line, depth)
            }
            LineKind::Header { key } if key.is_empty() => {
                Err(Fault::expected("a key before the array header", key.end))
            }
            LineKind::Header { key } => {
                if let Some(b' ' | b'\t') = view.byte(key.end - 1) {
                    return Err(Fault::expected("no space before the `[`", key.end - 1));
                }
                let header = self.header(view, key.end)?;
                self.key(object, view, key)?;
                self.array(header, line, depth)
            }
            LineKind::Scalar => Err(Fault::expected("`:` after the key", line.end)),
        }
    }

    /// Writes what follows the colon of a member at `depth`: a scalar, or the object below.
    #[inline]
    fn member_value(
        &mut self,
        view: LineView<'_>,
        at: usize,
        line: ContentLine,
        depth: usize,
    ) -> Result<(), Fault> {
        let start = view.skip_spaces(at);
        if start < line.end {
            return self.scalar(view, start);
        }
        if let Some(below) = self.scope_below(depth)?
            && let Some(first) = self.next_at(below)?
        {
            let kind = self.view(first).kind(first.start)?;
            return self.object(first, kind, below);
        }
        self.empty(b"{}", line.start)
    }

    /// Writes the value that starts at `start` and fills the rest of the line.
    #[inline]
    pub(super) fn scalar(&mut self, view: LineView<'_>, start: usize) -> Result<(), Fault> {
        if view.byte(start) == Some(b'[')
            && view.byte(start + 1) == Some(b']')
            && start + 2 == view.end()
        {
            return self.empty(b"[]", start);
        }
        write::line_value(&mut self.out, view, start)
    }

    /// Writes an empty container.
    pub(super) fn empty(&mut self, container: &[u8; 2], offset: usize) -> Result<(), Fault> {
        self.enter(1, offset)?;
        self.out.push_bytes(container);
        self.leave(1);
        Ok(())
    }

    /// Begins an object. Its brace is written with its first key.
    #[inline]
    pub(super) fn open_object(&mut self, offset: usize) -> Result<OpenObject, Fault> {
        self.enter(1, offset)?;
        Ok(OpenObject { first: self.members.len(), keys: KeyFilter::default(), may_repeat: false })
    }

    /// Writes a key with what is before it and its colon.
    #[inline]
    pub(super) fn key(
        &mut self,
        object: &mut OpenObject,
        view: LineView<'_>,
        key: LineToken,
    ) -> Result<(), Fault> {
        let lead = if self.members.len() == object.first { b'{' } else { b',' };
        let from = self.out.len() + 1;
        if view.byte(key.start) == Some(b'"') {
            self.out.push(lead);
            write::quoted_token(&mut self.out, view, key.start)?;
            self.out.push(b':');
        } else {
            self.out.push_bytes(&[lead, b'"']);
            write::token_content(&mut self.out, view, view.trimmed(key));
            self.out.push_str("\":");
        }
        let to = self.out.len() - 1;
        // Between the quotes.
        object.may_repeat |= object.keys.add(&self.out.bytes()[from + 1..to - 1]);
        self.members.push(Member { key: (from, to), source: key.start });
        Ok(())
    }

    #[inline]
    pub(super) fn close_object(&mut self, object: OpenObject) -> Result<(), Fault> {
        if object.may_repeat {
            self.settle_repeats(object)?;
        }
        if self.members.len() == object.first {
            self.out.push(b'{');
        }
        self.members.truncate(object.first);
        self.out.push(b'}');
        self.leave(1);
        Ok(())
    }

    /// Looks for duplicate keys: a fault, or members to drop.
    fn settle_repeats(&mut self, object: OpenObject) -> Result<(), Fault> {
        let members = &self.members[object.first..];
        let json = self.out.bytes();
        let keys = members.iter().map(|member| &json[member.key.0..member.key.1]);
        match first_repeat(keys, members.len()) {
            None => Ok(()),
            Some(repeat) if self.strict => {
                let offset = members[repeat].source;
                Err(Fault::new(FaultKind::DuplicateKey, offset))
            }
            Some(_) => {
                self.keep_last_members(object);
                Ok(())
            }
        }
    }

    /// Rewrites an object with duplicate keys: the last member takes the place of the first.
    #[cold]
    fn keep_last_members(&mut self, object: OpenObject) {
        let members = &self.members[object.first..];
        let json = self.out.bytes();
        let text = |index: usize| {
            let end = members.get(index + 1).map_or(json.len(), |next| next.key.0 - 1);
            &json[members[index].key.0..end]
        };
        let keys = members.iter().map(|member| &json[member.key.0..member.key.1]);
        let kept: Vec<&[u8]> = last_occurrences(keys).into_iter().map(text).collect();
        let kept = kept.join(&b',');
        self.out.truncate(members[0].key.0);
        self.out.push_bytes(&kept);
    }
}
