//! What the reading of a request promises, whatever is known of it.

use tokenforge_providers::{
    ConversationTurns, Dialect, EarlierReading, MessageTexts, Refusal, Request,
};

/// Knows the turns of a body that was read before.
pub struct EarlierBody {
    list: Vec<u8>,
    turns: ConversationTurns,
}

impl EarlierBody {
    /// Nothing if that body is refused, or has no turns that can be kept.
    pub fn of(body: &[u8], dialect: Dialect) -> Option<Self> {
        let (place, turns) = Request::read(body, dialect).ok()?.turns()?;
        Some(EarlierBody { list: body.get(place)?.to_vec(), turns })
    }
}

impl EarlierReading for EarlierBody {
    fn text_length(&self, _: usize, _: &[u8]) -> Option<usize> {
        None
    }

    fn turns(&self, _: usize, list: &[u8]) -> Option<(&ConversationTurns, usize)> {
        let same = self.list.iter().zip(list).take_while(|(one, other)| one == other).count();
        Some((&self.turns, self.turns.end_within(same, list)?))
    }
}

/// A body of which something is known is read, or refused, as if it were not. Tells whether all its turns were known.
pub fn known_or_not(body: &[u8], dialect: Dialect, known: &dyn EarlierReading) -> bool {
    let plainly = Request::read(body, dialect);
    let again = Request::read_again(body, dialect, MessageTexts::Unwanted, known);
    assert_eq!(found(&again), found(&plainly), "{dialect:?} {}", String::from_utf8_lossy(body));
    again.is_ok_and(|request| request.turns().is_none())
}

/// All that was found in a body.
fn found<'r>(read: &'r Result<Request<'_>, Refusal>) -> Result<String, &'r Refusal> {
    let Request { head, results, texts, calls, answers, tools, further_tools, .. } =
        read.as_ref()?;
    let beside = format!("{head:?} {tools:?} {further_tools:?}");
    Ok(format!("{beside} {results:?} {texts:?} {calls:?} {answers:?}"))
}
