//! The input of a rewrite: a body, and all that decides what becomes of it.

use crate::holds::TenantHolds;
use crate::memo::ConversationOwner;
use crate::options::RequestOptions;
use crate::owner::THIS_MACHINE;
use crate::rules::RewriteRules;
use crate::shared::RewriteShared;
use bytes::Bytes;
use std::sync::Arc;
use tokenforge_engine::Engine;
use tokenforge_ledger::BoundedName;
use tokenforge_providers::{Dialect, RequestPurpose};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A body, and all that decides what becomes of it.
#[derive(Clone)]
pub struct RewriteInput {
    /// What is remembered across requests, and where originals are kept.
    pub shared: Arc<RewriteShared>,
    /// The settings when the request came.
    pub rules: Arc<RewriteRules>,
    /// The modes and stages that are held for its sender.
    pub holds: Arc<TenantHolds>,
    /// What it is, as far as its path says.
    pub kind: RequestKind,
    /// Who sent it.
    pub sender: RequestSender,
    /// What its headers ask for.
    pub options: Arc<RequestOptions>,
    /// Who can ask for what is left out.
    pub originals_reader: OriginalsReader,
    /// Secrets were taken out of it.
    pub is_redacted: bool,
    /// The body, whole.
    pub body: Bytes,
}

/// What a request is, as far as its path says.
#[derive(Debug, Clone)]
pub struct RequestKind {
    /// The provider's API.
    pub dialect: Dialect,
    /// What it is for.
    pub purpose: RequestPurpose,
    /// Whether a stream is asked for, where the path tells.
    pub is_stream: Option<bool>,
    /// The model, where the path names it.
    pub model: Option<String>,
}

/// Who sent a request.
#[derive(Debug, Clone, Default)]
pub struct RequestSender {
    /// The tenant; empty for a program that rewrites its own bodies.
    pub tenant: Arc<str>,
    /// The project of a path `/p/PROJECT`.
    pub project: Option<Arc<str>>,
    /// The agent, as it calls itself.
    pub client: Option<BoundedName>,
    /// The client's own name for its session.
    pub session: Option<String>,
    /// Did it come through a proxy, from who knows where?
    pub is_proxied: bool,
    /// What its agent calls the shell in which its model can run our command, if it can.
    pub local_shell: Option<&'static str>,
}

impl RewriteInput {
    /// Whose body it is.
    pub(crate) fn owner(&self) -> ConversationOwner<'_> {
        let session = self.sender.session.as_deref();
        ConversationOwner { tenant: &self.sender.tenant, dialect: self.kind.dialect, session }
    }

    /// One person uses the gateway, on that person's machine, and sent this from there.
    #[must_use]
    pub fn is_personal(&self) -> bool {
        self.rules.settings.is_personal() && !self.sender.is_proxied
    }

    /// The owner of what must outlive the credential of this request. `None`: the tenant is known by its credential alone, and
    /// would be another one after that was renewed.
    pub(crate) fn lasting_owner(&self) -> Option<&str> {
        // A program that rewrites its own bodies shows no credential.
        let is_lasting = !self.rules.settings.keys.is_empty() || self.sender.tenant.is_empty();
        if is_lasting {
            Some(&*self.sender.tenant)
        } else {
            self.is_personal().then_some(THIS_MACHINE)
        }
    }

    /// Tells apart all that may lead to another text for the same results.
    pub(super) fn fingerprint(&self, engine: &Engine<'_>, is_observed: bool, is_kept: bool) -> u64 {
        let flags = [self.originals_reader as u8, u8::from(is_observed), u8::from(is_kept)];
        xxh3_64_with_seed(&flags, engine.fingerprint() ^ self.rules.strategy_print)
    }
}

/// Who can ask for what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginalsReader {
    /// The model, if the request has tools to which ours can be added; else nothing is left out.
    Model,
    /// The caller that had the body rewritten, by its own means.
    Caller,
}
