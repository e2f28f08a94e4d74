//! An assistant's message, assembled from the deltas it came in.
//!
//! Whatever members the pieces have: providers add their own (reasoning, signatures) and want them back.

use super::edit::{Edit, joined, quoted};
use crate::json::{Kind, Node};

/// How many members are kept: more than any provider has.
const MOST: usize = 64;

/// A message whose pieces are put together member by member.
#[derive(Debug, Default, Clone)]
pub(crate) struct AssembledMessage {
    members: Vec<(String, Piece)>,
}

#[derive(Debug, Clone)]
enum Piece {
    /// A string, as it is spelled between its quotes: pieces of it may be spelled one behind the other.
    Text(String),
    /// The elements of a list.
    List(String),
    /// Anything else, as it was last.
    Other(String),
}

impl AssembledMessage {
    /// Adds a piece to a member. `null` adds nothing.
    pub(crate) fn add(&mut self, name: &str, value: &Node<'_>) {
        if let Some(piece) = Piece::read(value) {
            self.add_piece(name, piece);
        }
    }

    /// Adds all that another message says.
    pub(crate) fn join(&mut self, other: &AssembledMessage) {
        for (name, piece) in &other.members {
            self.add_piece(name, piece.clone());
        }
    }

    /// Adds a member that every piece of a message may repeat: the first one counts.
    pub(crate) fn add_once(&mut self, name: &str, value: &Node<'_>) {
        if self.find(name).is_none() {
            self.add(name, value);
        }
    }

    /// Adds to a text, or to a list of content parts that says it.
    pub(crate) fn say_more(&mut self, name: &str, text: &str) {
        let quoted = quoted(text);
        self.add_piece(name, Piece::Text(quoted[1..quoted.len() - 1].to_owned()));
    }

    /// Gives a member a value, as JSON.
    pub(crate) fn set(&mut self, name: &str, json: String) {
        self.members.retain(|(known, _)| known != name);
        self.members.push((name.to_owned(), Piece::Other(json)));
    }

    /// The message as JSON.
    pub(crate) fn json(&self) -> String {
        let members = self.members.iter();
        let members = members.map(|(name, piece)| format!("{}:{}", quoted(name), piece.json()));
        format!("{{{}}}", joined(members))
    }

    /// Whether a member was given, and not an empty one.
    pub(crate) fn says(&self, name: &str) -> bool {
        self.find(name).is_some_and(|piece| !piece.is_empty())
    }

    /// How a string is spelled between its quotes, or other JSON is written.
    pub(crate) fn spelling(&self, name: &str) -> Option<&str> {
        self.find(name).map(|(Piece::Text(json) | Piece::List(json) | Piece::Other(json))| &**json)
    }

    /// Puts this message before one that came later: texts and lists are joined.
    pub(crate) fn put_before(&self, later: &Node<'_>, edit: &mut Edit<'_>) {
        for (name, piece) in self.members.iter().filter(|(_, piece)| !piece.is_empty()) {
            let mut whole = piece.clone();
            if let Some(piece) = later.get(name).and_then(|value| Piece::read(&value)) {
                whole.add(piece);
            }
            edit.set(later, name, whole.json());
        }
    }

    /// Writes the members of this message over those of another.
    pub(crate) fn put_over(&self, other: &Node<'_>, edit: &mut Edit<'_>) {
        for (name, piece) in &self.members {
            edit.set(other, name, piece.json());
        }
    }

    fn add_piece(&mut self, name: &str, piece: Piece) {
        if let Some((_, known)) = self.members.iter_mut().find(|(known, _)| known == name) {
            known.add(piece);
        } else if self.members.len() < MOST {
            self.members.push((name.to_owned(), piece));
        }
    }

    fn find(&self, name: &str) -> Option<&Piece> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, piece)| piece)
    }
}

impl Piece {
    fn read(value: &Node<'_>) -> Option<Self> {
        match value.kind() {
            Kind::Null => None,
            Kind::String => value.spelling().map(|text| Piece::Text(text.to_owned())),
            Kind::Array => Some(Piece::List(joined(value.elements().iter().map(Node::raw)))),
            _ => Some(Piece::Other(value.raw().to_owned())),
        }
    }

    fn add(&mut self, piece: Piece) {
        match (&mut *self, piece) {
            (Piece::Text(text), Piece::Text(more)) => text.push_str(&more),
            (Piece::List(list), more) => append(list, &more.elements()),
            (Piece::Text(_), Piece::List(more)) => {
                let mut list = self.elements();
                append(&mut list, &more);
                *self = Piece::List(list);
            }
            (known, more) => *known = more,
        }
    }

    /// The elements of this list, or of the list of content parts that says the same as this text.
    fn elements(&self) -> String {
        match self {
            Piece::Text(text) if text.is_empty() => String::new(),
            Piece::Text(text) => format!(r#"{{"type":"text","text":"{text}"}}"#),
            Piece::List(json) | Piece::Other(json) => json.clone(),
        }
    }

    fn json(&self) -> String {
        match self {
            Piece::Text(text) => format!("\"{text}\""),
            Piece::List(list) => format!("[{list}]"),
            Piece::Other(json) => json.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Piece::Text(json) | Piece::List(json) | Piece::Other(json) => json.is_empty(),
        }
    }
}

fn append(list: &mut String, elements: &str) {
    if !list.is_empty() && !elements.is_empty() {
        list.push(',');
    }
    list.push_str(elements);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(pieces: &[(&str, &str)]) -> AssembledMessage {
        let mut message = AssembledMessage::default();
        pieces.iter().for_each(|(name, json)| message.add(name, &Node::read(json).unwrap()));
        message
    }

    #[test]
    fn texts_are_joined_as_they_are_spelled_and_lists_by_their_elements() {
        let message = message(&[
            ("content", "null"),
            ("content", r#""a\ud83d""#),
            ("details", "[ 1 ]"),
            ("content", r#""\ude00\n""#),
            ("details", "[]"),
            ("details", "[2]"),
            ("score", "1"),
            ("score", "2"),
        ]);
        assert_eq!(message.json(), r#"{"content":"a\ud83d\ude00\n","details":[1,2],"score":2}"#);
        assert!(message.says("content") && !message.says("refusal"));
    }

    #[test]
    fn a_text_and_a_list_of_parts_become_a_list_of_parts() {
        let part = r#"[{"type":"text","text":"b"}]"#;
        let both = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#;
        assert_eq!(message(&[("content", r#""a""#), ("content", part)]).json(), both);
        let one = format!(r#"{{"content":{part}}}"#);
        assert_eq!(message(&[("content", r#""""#), ("content", part)]).json(), one);
    }

    #[test]
    fn what_came_earlier_is_put_before_what_came_later() {
        let earlier = message(&[("content", r#""a""#), ("notes", "[1]"), ("refusal", r#""""#)]);
        for (later, whole) in [
            (r#"{"content":"b","x":1}"#, r#"{"content":"ab","x":1,"notes":[1]}"#),
            (r#"{"content":null,"notes":[2]}"#, r#"{"content":"a","notes":[1,2]}"#),
        ] {
            let mut edit = Edit::new(later);
            earlier.put_before(&Node::read(later).unwrap(), &mut edit);
            assert_eq!(edit.done(), whole);
        }
    }
}
