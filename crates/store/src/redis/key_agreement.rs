//! Agreement on the key: whichever process comes first sets it, all others adopt what is there.
//!
//! A server may lose its data. A process that knows the key then offers it again with every new connection and every
//! original, by `SET NX`, and takes what is there afterwards for the key: so those that ran all the while and those
//! that started since end up with the same.

use super::connection::{RedisConnection, ServerReply};
use super::{PREFIX, bytes, command};
use crate::key;
use ::redis::{Cmd, RedisResult};
use std::sync::{Mutex, PoisonError};

/// What is known of the key.
#[derive(Default)]
pub(super) struct KeyAgreement(Mutex<Option<[u8; key::LENGTH]>>);

impl KeyAgreement {
    pub(super) fn known_key(&self) -> Option<[u8; key::LENGTH]> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn learn(&self, key: [u8; key::LENGTH]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(key);
    }

    /// Offers the key, if it is known, and asks what it is.
    pub(super) fn proposal(&self) -> Option<[Cmd; 2]> {
        self.known_key().map(|key| proposing(&key))
    }

    /// Takes what is there for the key. What is no key is left for who asks for it.
    pub(super) fn adopt(&self, mut replies: Vec<ServerReply>) {
        let kept = replies.pop().and_then(|reply| bytes(reply).ok().flatten());
        if let Some(key) = kept.and_then(|kept| kept.try_into().ok()) {
            self.learn(key);
        }
    }

    /// The same over a connection that is new.
    pub(super) fn renew_over(&self, mut link: RedisConnection) -> RedisResult<RedisConnection> {
        if let Some(proposal) = self.proposal() {
            self.adopt(link.ask(&proposal)?);
        }
        Ok(link)
    }
}

/// Sets the key where there is none, and asks what it is.
pub(super) fn proposing(key: &[u8; key::LENGTH]) -> [Cmd; 2] {
    let mut set = command("SET", &reference_key_name());
    set.arg(key).arg("NX");
    [set, command("GET", &reference_key_name())]
}

pub(super) fn reference_key_name() -> String {
    format!("{PREFIX}key")
}
