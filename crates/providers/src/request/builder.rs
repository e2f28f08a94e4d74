//! The request builder: what was found so far in a body, told by the walk over it.

use super::call_index::CallIndex;
use super::message_text::{MessageRole, MessageText, MessageTexts};
use super::name_ref::NameRef;
use super::result::{ResultShape, ToolResult};
use super::sites::{AnswerSite, CallSite, ResultAudience, ThoughtSite};
use super::slot::Slot;
use super::tools::ToolList;
use super::turns::{ConversationTurns, TurnList, TurnMark};
use super::{Request, RequestHead};
use crate::earlier_reading::{EarlierReading, NoEarlierReading};
use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use std::ops::Range;

/// A result of more texts is left as it is. Real ones have a handful; what is kept and done for each text is far more than
/// the 30 bytes that an empty one takes in a body.
const MAX_RESULT_TEXTS: usize = 1_000;

/// Results behind so many texts are left as they are: with 125 tokens for a call and its result, a context window of a
/// million has no room for more.
const MAX_TEXTS: usize = 8_000;

/// With every text its call is looked at: name, id, arguments. Those of all texts together may have so many times the bytes
/// of the body up to there, and a fixed number on top. Where each call is answered once they have fewer than the body.
const CALL_BYTES_PER_BYTE: usize = 4;
const CALL_BYTES: usize = 1 << 20;

/// Builds a request from what is found in a body.
pub(crate) struct RequestBuilder<'a> {
    known: &'a dyn EarlierReading,
    pub(crate) calls: CallIndex<'a>,
    pub(crate) tools: Option<ToolList<'a>>,
    /// Tools that came as items of the conversation.
    item_tools: Vec<ToolList<'a>>,
    /// Lists of tools that others are preferred to.
    pub(crate) further_tools: Vec<ToolList<'a>>,
    /// A member says which tools may be called.
    pub(crate) restricts_tools: bool,
    /// The answer is not waited for.
    pub(crate) is_background: bool,
    /// The list of messages was read.
    pub(crate) messages: Slot<()>,
    /// Its turns so far.
    list: TurnList,
    /// The list of tools was read.
    pub(crate) tool_list: Slot<()>,
    /// The body names the version of its format.
    pub(crate) has_version: bool,
    /// How many answers are asked for, where that stands deeper than at the top.
    pub(crate) choices: Slot<u64>,
    results: Vec<ToolResult>,
    /// What the calls of all texts of results have in bytes.
    call_bytes: usize,
    answers: Vec<AnswerSite>,
    thoughts: Vec<ThoughtSite>,
    /// How many of the answers the model has seen, as what follows them shows.
    seen: usize,
    /// Texts of the object that is being read. Whether it is a tool result may come after them.
    texts: Vec<(Range<usize>, ResultShape)>,
    /// Texts of documents inside the object that is being read, if what is said is to be collected.
    enclosed: Vec<Range<usize>>,
    /// What is said is to be collected.
    pub(crate) wants_texts: bool,
    /// Texts of the message that is being read, and whether they are attached to it. Whose they are may come after them.
    said: Vec<(Range<usize>, bool)>,
    message_texts: Vec<MessageText>,
}

/// What a result says of itself.
#[derive(Debug, Default)]
pub(crate) struct ResultHeader {
    pub(crate) call_id: Option<NameRef>,
    pub(crate) tool_name: Option<NameRef>,
    pub(crate) is_error: bool,
    /// Who reads it: only texts that the model reads are results.
    pub(crate) audience: ResultAudience,
    /// Where it stands in its list.
    pub(crate) element: Option<Range<usize>>,
}

impl<'a> RequestBuilder<'a> {
    pub(crate) fn new(body: &'a [u8], texts: MessageTexts, known: &'a dyn EarlierReading) -> Self {
        RequestBuilder {
            known,
            wants_texts: texts == MessageTexts::Wanted,
            calls: CallIndex::new(body),
            tools: None,
            item_tools: Vec::new(),
            further_tools: Vec::new(),
            restricts_tools: false,
            is_background: false,
            messages: Slot::default(),
            list: TurnList::default(),
            tool_list: Slot::default(),
            has_version: false,
            choices: Slot::default(),
            results: Vec::new(),
            call_bytes: 0,
            answers: Vec::new(),
            thoughts: Vec::new(),
            seen: 0,
            texts: Vec::new(),
            enclosed: Vec::new(),
            said: Vec::new(),
            message_texts: Vec::new(),
        }
    }

    /// Reads the list of turns, of which the first ones may be known, and each of the others with `turn`.
    pub(crate) fn turns(
        &mut self,
        reader: &mut Reader<'a>,
        mut turn: impl FnMut(&mut Reader<'a>, &mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if reader.peek() != b'[' {
            return reader.skip();
        }
        let start = reader.upcoming();
        let known = self.resume(start, reader.rest(start));
        self.list.start = start;
        let each = |reader: &mut Reader<'a>| {
            turn(reader, self)?;
            let mark = self.mark(reader.upcoming() - start);
            self.list.add(mark);
            Ok(())
        };
        match known {
            Some(end) => reader.array_from(start + end, each),
            None => reader.array(each).map(|_| ()),
        }
    }

    /// Takes up what is known of the first turns, and returns where they end.
    fn resume(&mut self, start: usize, list: &[u8]) -> Option<usize> {
        if self.wants_texts {
            return None;
        }
        let (turns, end) = self.known.turns(start, list)?;
        let ConversationTurns { list, calls, answers, results, thoughts } =
            turns.up_to(end, start)?;
        let mark = list.marks.last()?;
        self.calls.resume(calls, &answers, mark);
        (self.seen, self.call_bytes) = (mark.seen, mark.call_bytes);
        (self.list, self.answers, self.results) = (list, answers, results);
        self.thoughts = thoughts;
        Some(end)
    }

    fn mark(&self, end: usize) -> TurnMark {
        let (calls, first_calls) = self.calls.mark();
        let (answers, results) = (self.answers.len(), self.results.len());
        let thoughts = self.thoughts.len();
        let (seen, call_bytes) = (self.seen, self.call_bytes);
        TurnMark { end, calls, answers, results, thoughts, seen, first_calls, call_bytes }
    }

    /// Reads a string, or a list of blocks of which those of the type `kind` have a text.
    pub(crate) fn texts(&mut self, reader: &mut Reader<'a>, kind: &str) -> Result<(), Refusal> {
        let texts = &mut self.texts;
        let most = most_texts(self.wants_texts);
        each_text(reader, kind, self.known, |span| {
            if texts.len() <= most {
                texts.push((span, ResultShape::Text));
            }
        })
    }

    /// Reads a string.
    pub(crate) fn text(&mut self, reader: &mut Reader<'a>) -> Result<(), Refusal> {
        let content = self.content(reader)?;
        self.texts.extend(content.map(|span| (span, ResultShape::Text)));
        Ok(())
    }

    /// Reads a string that may be known; where its content is.
    pub(crate) fn content(&self, reader: &mut Reader<'a>) -> Result<Option<Range<usize>>, Refusal> {
        Ok(reader.value_but(|at, rest| self.known.text_length(at, rest))?.content())
    }

    /// The object is a call.
    pub(crate) fn call(&mut self, call: CallSite) {
        self.model_speaks();
        self.calls.add(call);
    }

    /// The object is what the model thought. One without a seal cannot be told from others.
    pub(crate) fn thought(&mut self, seal: Option<NameRef>, element: Option<Range<usize>>) {
        let seal = seal.filter(|seal| seal.size() > 0);
        self.thoughts
            .extend(seal.zip(element).map(|(seal, element)| ThoughtSite { seal, element }));
    }

    /// What is being read is the model's: it has seen everything before.
    pub(crate) fn model_speaks(&mut self) {
        self.seen = self.answers.len();
    }

    /// Notes a text of the object that is being read.
    pub(crate) fn add_text(&mut self, span: Range<usize>, shape: ResultShape) {
        if self.texts.len() <= most_texts(self.wants_texts) {
            self.texts.push((span, shape));
        }
    }

    /// The object is no tool result, or one to be left alone: so are its texts.
    pub(crate) fn drop_texts(&mut self) {
        self.texts.clear();
        self.enclosed.clear();
    }

    /// The object is a tool result, and the texts are its own.
    pub(crate) fn answer(&mut self, answer: ResultHeader) {
        let ResultHeader { call_id, mut tool_name, is_error, mut audience, element } = answer;
        let (mut call, mut arguments) = (None, None);
        if let Some((index, site)) =
            self.calls.call_for_result(call_id.as_ref(), tool_name.as_ref())
        {
            call = Some(index);
            tool_name = site.name.clone().or(tool_name);
            arguments = site.arguments.clone();
            audience = audience.max(site.audience);
        }
        let number = self.answers.len();
        self.answers.push(AnswerSite {
            call_id: call_id.clone(),
            call,
            element,
            is_last_turn: true,
        });
        if audience == ResultAudience::Program {
            self.attach_texts();
        }
        if audience != ResultAudience::Model {
            return self.drop_texts();
        }
        let call_bytes =
            [&call_id, &tool_name].into_iter().flatten().map(NameRef::size).sum::<usize>()
                + arguments.as_ref().map_or(0, |arguments| arguments.span.len());
        if !self.has_room_for(call_bytes) {
            // Secrets are looked for in what is attached, too.
            return self.attach_texts();
        }
        self.results.extend(self.texts.drain(..).map(|(span, shape)| ToolResult {
            span,
            shape,
            number,
            call_id: call_id.clone(),
            call,
            tool_name: tool_name.clone(),
            arguments: arguments.clone(),
            is_error,
        }));
        self.attach_texts();
    }

    /// May the texts of the object be results? Decided by what stands in the body up to here, and so the same in every
    /// later turn of the conversation.
    fn has_room_for(&mut self, call_bytes: usize) -> bool {
        let count = self.texts.len();
        let Some((last, _)) = self.texts.last() else { return true };
        // Counted from the first turn: what stands before it may change from one request to the next.
        let bytes = last.end.saturating_sub(self.list.start);
        let most = bytes.saturating_mul(CALL_BYTES_PER_BYTE).saturating_add(CALL_BYTES);
        let call_bytes = self.call_bytes.saturating_add(call_bytes.saturating_mul(count));
        let has_room = count <= MAX_RESULT_TEXTS
            && self.results.len() + count <= MAX_TEXTS
            && call_bytes <= most;
        if has_room {
            self.call_bytes = call_bytes;
        }
        has_room
    }

    /// Reads what is said in a message: like [`texts`](Self::texts).
    pub(crate) fn message_texts(
        &mut self,
        reader: &mut Reader<'a>,
        kind: &str,
    ) -> Result<(), Refusal> {
        each_text(reader, kind, &NoEarlierReading, |span| self.said.push((span, false)))
    }

    /// Reads what someone says outside of messages.
    pub(crate) fn statement(
        &mut self,
        reader: &mut Reader<'a>,
        kind: &str,
        role: &str,
    ) -> Result<(), Refusal> {
        self.message_texts(reader, kind)?;
        self.end_message(role);
        Ok(())
    }

    /// Notes a text of the message that is being read.
    pub(crate) fn say(&mut self, span: Option<Range<usize>>) {
        self.said.extend(span.map(|span| (span, false)));
    }

    /// Notes texts that are attached to the message which is being read.
    pub(crate) fn attach(&mut self, spans: Vec<Range<usize>>) {
        self.said.extend(spans.into_iter().map(|span| (span, true)));
    }

    /// Notes texts of a document inside the object that is being read.
    pub(crate) fn enclose(&mut self, spans: Vec<Range<usize>>) {
        self.enclosed.extend(spans);
    }

    /// The texts of the object, and of documents inside it, are attached to the message.
    pub(crate) fn attach_texts(&mut self) {
        let texts = self.texts.drain(..).map(|(span, _)| span);
        let mut spans: Vec<_> = texts.chain(self.enclosed.drain(..)).collect();
        if self.wants_texts {
            spans.sort_by_key(|span| span.start);
            self.attach(spans);
        }
    }

    /// The texts of the object are what is said in the message.
    pub(crate) fn say_texts(&mut self) {
        if self.wants_texts {
            self.said.extend(self.texts.drain(..).map(|(span, _)| (span, false)));
        }
    }

    /// The message is over, and this is who said it.
    pub(crate) fn end_message(&mut self, role: &str) {
        let role = match role {
            "user" => MessageRole::User,
            "system" | "developer" => MessageRole::System,
            "tool" => {
                self.said.retain(|(_, is_attached)| *is_attached);
                MessageRole::Attached
            }
            "assistant" | "model" => {
                self.model_speaks();
                return self.said.clear();
            }
            _ => return self.said.clear(),
        };
        self.message_texts.extend(self.said.drain(..).map(|(span, is_attached)| MessageText {
            span,
            role: if is_attached { MessageRole::Attached } else { role },
        }));
    }

    /// Reads the list of tools, which may occur once.
    pub(crate) fn tools(&mut self, reader: &mut Reader<'a>, key: &Key<'a>) -> Result<(), Refusal> {
        self.tool_list.mark(key)?;
        self.tools = ToolList::read(reader)?;
        Ok(())
    }

    /// A member that says which tools may be called was read.
    pub(crate) fn restrict_tools(&mut self, is_restricted: bool) -> Result<(), Refusal> {
        self.restricts_tools |= is_restricted;
        Ok(())
    }

    /// Tools came as an item.
    pub(crate) fn item_tools(&mut self, tools: Option<ToolList<'a>>) {
        self.item_tools.extend(tools);
    }

    pub(crate) fn into_request(mut self, mut head: RequestHead<'a>) -> Request<'a> {
        head.choices = head.choices.or(self.choices.take());
        for (index, answer) in self.answers.iter_mut().enumerate() {
            answer.is_last_turn = index >= self.seen;
        }
        let is_all = !self.wants_texts && !self.calls.has_aliases && self.item_tools.is_empty();
        let list = is_all.then_some(self.list);
        // The first item stays where it is while the conversation grows.
        let mut lists =
            self.tools.filter(|tools| tools.count > 0).into_iter().chain(self.item_tools);
        let tools = lists.next();
        let further_tools = self.further_tools.into_iter().chain(lists).collect();
        Request {
            restricts_tools: self.restricts_tools || head.restricts_tools,
            head,
            results: self.results,
            texts: self.message_texts,
            calls: self.calls.into_sites(),
            answers: self.answers,
            thoughts: self.thoughts,
            tools,
            further_tools,
            is_background: self.is_background,
            list,
        }
    }
}

/// How many texts of one object are kept, one more than a result may have aside: all, where what is said is collected.
fn most_texts(wants_texts: bool) -> usize {
    if wants_texts { usize::MAX - 1 } else { MAX_RESULT_TEXTS }
}

/// Reads a string, or a list of blocks of which those of the type `kind` have a text.
pub(crate) fn each_text(
    reader: &mut Reader<'_>,
    kind: &str,
    known: &dyn EarlierReading,
    mut note: impl FnMut(Range<usize>),
) -> Result<(), Refusal> {
    if reader.peek() != b'[' {
        reader
            .value_but(|at, rest| known.text_length(at, rest))?
            .content()
            .into_iter()
            .for_each(note);
        return Ok(());
    }
    let read = reader.array(|reader| {
        let (mut of_kind, mut text) = (Slot::default(), Slot::default());
        reader.object(|reader, key| match &*key.name {
            "type" => of_kind.set(&key, Some(reader.text()?.as_deref() == Some(kind))),
            "text" => {
                text.set(&key, reader.value_but(|at, rest| known.text_length(at, rest))?.content())
            }
            _ => reader.skip(),
        })?;
        if of_kind.take() == Some(true) {
            text.take().into_iter().for_each(&mut note);
        }
        Ok(())
    });
    read.map(|_| ())
}
