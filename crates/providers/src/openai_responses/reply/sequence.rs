//! Sequence numbers of events: without gaps for the client, whatever it was not given.

use crate::json::Node;
use crate::reply::edit::Edit;

const NUMBER: &str = "sequence_number";

/// The numbers of events.
#[derive(Default)]
pub(super) struct EventNumbers {
    /// The number of the next event, once the client has one with a number.
    next: Option<i128>,
    /// By how much the upstream's numbers are ahead of the client's: not known before its reply begins.
    ahead: Option<i128>,
}

impl EventNumbers {
    /// Another reply begins, with numbers of its own.
    pub(super) fn next_reply(&mut self) {
        self.ahead = None;
    }

    /// The client does not get an event.
    pub(super) fn swallow(&mut self, event: &Node<'_>) {
        if let Some(number) = number(event) {
            self.ahead = Some(self.ahead(number) + 1);
        }
    }

    /// The client gets an event.
    pub(super) fn give(&mut self, event: &Node<'_>, edit: &mut Edit<'_>) {
        let Some(number) = number(event) else { return };
        let ahead = self.ahead(number);
        self.ahead = Some(ahead);
        self.next = Some(number - ahead + 1);
        if ahead != 0 {
            edit.set(event, NUMBER, (number - ahead).to_string());
        }
    }

    /// The client gets an event that it was not given when it came.
    pub(super) fn put_next(&mut self, event: &Node<'_>, edit: &mut Edit<'_>) {
        if let (Some(next), Some(_)) = (self.next, event.get(NUMBER)) {
            edit.set(event, NUMBER, next.to_string());
        }
    }

    /// The number of an event of our own, as a member with a comma behind it.
    pub(super) fn own(&mut self) -> String {
        let Some(next) = &mut self.next else { return String::new() };
        let member = format!("\"{NUMBER}\":{next},");
        *next += 1;
        member
    }

    fn ahead(&self, number: i128) -> i128 {
        self.ahead.unwrap_or_else(|| self.next.map_or(0, |next| number - next))
    }
}

fn number(event: &Node<'_>) -> Option<i128> {
    event.get(NUMBER)?.number().map(i128::from)
}
