//! What a client is to hear that belongs to none of its requests, on the stream that it opens for that.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// How many messages wait for a client that does not listen; the oldest go first.
const WAITING: usize = 256;

/// How many of the last messages can be asked for again.
const SENT: usize = 64;

/// What waits for a client.
#[derive(Default)]
pub(crate) struct SessionOutbox {
    messages: Mutex<Messages>,
    arrived: Notify,
    /// Which of the streams that a client opened is the last.
    stream: AtomicU64,
}

#[derive(Default)]
struct Messages {
    waiting: VecDeque<String>,
    sent: VecDeque<(u64, String)>,
    /// The number of the message that was sent last.
    last: u64,
}

impl SessionOutbox {
    pub(crate) fn put(&self, text: String) {
        let mut messages = self.locked();
        if messages.waiting.len() >= WAITING {
            messages.waiting.pop_front();
        }
        messages.waiting.push_back(text);
        drop(messages);
        self.arrived.notify_one();
    }

    /// Opens the stream on which the client listens, after the last message that it has. An older stream ends.
    pub(crate) fn open(&self, after: Option<u64>) -> u64 {
        let stream = self.stream.fetch_add(1, Ordering::AcqRel) + 1;
        if let Some(after) = after {
            self.locked().take_back(after);
        }
        self.arrived.notify_waiters();
        stream
    }

    /// The next message and its number; `None`: another stream was opened.
    pub(crate) async fn next(&self, stream: u64) -> Option<(u64, String)> {
        loop {
            let arrived = self.arrived.notified();
            if self.stream.load(Ordering::Acquire) != stream {
                // The stream that listens now must not miss what woke this one.
                self.arrived.notify_one();
                return None;
            }
            if let Some(next) = self.locked().send() {
                return Some(next);
            }
            arrived.await;
        }
    }

    /// The message of this number, which was the last, could not be sent: it waits again.
    pub(crate) fn put_back(&self, number: u64) {
        let mut messages = self.locked();
        if messages.last == number {
            messages.take_back(number - 1);
        }
        drop(messages);
        self.arrived.notify_one();
    }

    fn locked(&self) -> MutexGuard<'_, Messages> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Messages {
    fn send(&mut self) -> Option<(u64, String)> {
        let text = self.waiting.pop_front()?;
        self.last += 1;
        if self.sent.len() >= SENT {
            self.sent.pop_front();
        }
        self.sent.push_back((self.last, text.clone()));
        Some((self.last, text))
    }

    /// What was sent after this number waits again.
    fn take_back(&mut self, after: u64) {
        while self.last > after
            && let Some((number, text)) = self.sent.pop_back()
        {
            self.waiting.push_front(text);
            self.last = number - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn m13_unsent_messages_go_to_the_next_stream() {
        let outbox = SessionOutbox::default();
        let first = outbox.open(None);
        outbox.put("1".to_owned());
        outbox.put("2".to_owned());
        let (number, _) = outbox.next(first).await.unwrap();
        outbox.put_back(number);
        let second = outbox.open(None);
        for n in 1..=2 {
            assert_eq!(outbox.next(second).await, Some((n, n.to_string())));
        }
        // The listening stream has had something since: its order stays.
        outbox.put_back(1);
        outbox.put("3".to_owned());
        assert_eq!(outbox.next(second).await, Some((3, "3".to_owned())));
    }

    #[tokio::test]
    async fn what_was_sent_after_the_last_message_that_arrived_is_sent_again() {
        let outbox = SessionOutbox::default();
        let numbers = |n: u64| (n, n.to_string());
        let first = outbox.open(None);
        for n in 1..=4 {
            outbox.put(n.to_string());
            assert_eq!(outbox.next(first).await, Some(numbers(n)));
        }
        let second = outbox.open(Some(2));
        assert_eq!(outbox.next(first).await, None);
        outbox.put("5".to_owned());
        for n in 3..=5 {
            assert_eq!(outbox.next(second).await, Some(numbers(n)));
        }
    }
}
