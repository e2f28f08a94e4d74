//! Originals of what was left out, in the store, under references of the installation's key.

use crate::earlier_results::EarlierResults;
use crate::events::Events;
use crate::owner::THIS_MACHINE;
use crate::reference_id::parse_reference;
use crate::reference_key::{KeyState, ReferenceKey};
use crate::remembered_decision::RememberedDecision;
use std::sync::{Arc, OnceLock};
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_store::{EntryKind, Store, StoreError};

/// Where originals are kept, and the key under which they are referred to.
pub struct OriginalStore {
    store: Arc<dyn Store>,
    key: ReferenceKey,
    /// Results that nothing was left out of.
    pub(crate) earlier: EarlierResults,
    command_tenant: OnceLock<String>,
    pub(crate) events: Arc<dyn Events>,
}

impl OriginalStore {
    pub(crate) fn new(store: Arc<dyn Store>, key: ReferenceKey, events: Arc<dyn Events>) -> Self {
        let earlier = EarlierResults::new(store.clone());
        OriginalStore { store, key, earlier, command_tenant: OnceLock::new(), events }
    }

    /// The command that prints originals on this machine reads this store, and there those of this tenant.
    pub fn set_command_tenant(&self, tenant: &str) {
        // A second call names the same tenant, so its refusal loses nothing.
        let _ = self.command_tenant.set(tenant.to_owned());
    }

    /// Whose originals the command on this machine prints, if it reads this store.
    #[must_use]
    pub fn command_tenant(&self) -> Option<&str> {
        self.command_tenant.get().map(String::as_str)
    }

    /// What is known of the key under which references are made, without asking anybody.
    pub(crate) fn key_state(&self) -> KeyState {
        self.key.state(&*self.store)
    }

    /// The key under which references are made, if the store gives it. Blocks.
    pub fn reference_key(&self) -> Option<Arc<ReferenceSecret>> {
        self.key.ask(&*self.store).unwrap_or_else(|error| {
            self.events.key_missing(&error);
            None
        })
    }

    /// Keeps an original for a tenant. Blocks.
    pub fn put(&self, tenant: &str, reference: Reference, text: &str) -> Result<(), StoreError> {
        self.store.put(EntryKind::Original, tenant, &reference.to_string(), text.as_bytes())
    }

    /// Keeps an original for as long as originals live, whatever else is put: for a conversation whose next requests do not
    /// hold it. Tells whether it is kept. A refusal is remembered for the tenant and the call of this id, for as
    /// long as the store keeps results, so that its request leads to the same bytes when it is sent again. Blocks.
    ///
    /// # Errors
    /// The store refuses it now.
    pub(crate) fn pin(
        &self,
        tenant: &str,
        reference: Reference,
        text: &str,
        call: Option<&str>,
    ) -> Result<bool, StoreError> {
        let refusal = RememberedDecision::of_refused_pin(&*self.store, tenant, reference, call);
        if refusal.was_refused()? {
            return Ok(false);
        }
        let pinned = self.store.pin(tenant, &reference.to_string(), text.as_bytes());
        // A store that is down forgets the refusal; the memo has it for an hour.
        pinned.inspect_err(|_| refusal.remember_refusal())?;
        Ok(true)
    }

    /// An original that is kept for a tenant, or for this machine where one person uses the gateway: what was pinned there
    /// outlives the credential. Blocks.
    pub fn find_own(&self, tenant: &str, is_personal: bool, id: &str) -> Result<String, String> {
        let found = self.find(tenant, id);
        if is_personal { found.or_else(|_| self.find(THIS_MACHINE, id)) } else { found }
    }

    /// An original that is kept for a tenant, or why there is none. Blocks.
    pub fn find(&self, tenant: &str, id: &str) -> Result<String, String> {
        let unknown = || {
            let id: String =
                id.chars().filter(|character| !character.is_control()).take(64).collect();
            format!(
                "No original is kept under {id:?} here. If the line under it names `tokenforge expand`, run that in a shell; \
                 else run the tool again if you need its output."
            )
        };
        let reference = parse_reference(id).ok_or_else(unknown)?;
        let key = self.reference_key().ok_or_else(unknown)?;
        if !reference.verify(&key) {
            return Err(unknown());
        }
        let stored = self.store.get(EntryKind::Original, tenant, &reference.to_string());
        stored
            .unwrap_or_default()
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or_else(unknown)
    }
}

impl OriginalStore {
    /// Keeps what must be known of a call that was answered with a task. Blocks.
    pub fn put_task(
        &self,
        tenant: &str,
        server: &str,
        task: &str,
        call: &str,
    ) -> Result<(), StoreError> {
        self.store.put(EntryKind::Kept, tenant, &task_id(server, task), call.as_bytes())
    }

    /// What was kept of it. Blocks.
    #[must_use]
    pub fn task(&self, tenant: &str, server: &str, task: &str) -> Option<String> {
        let stored = self.store.get(EntryKind::Kept, tenant, &task_id(server, task));
        stored.unwrap_or_default().and_then(|bytes| String::from_utf8(bytes).ok())
    }
}

/// Under which id the call of a task is kept: what a server calls it may be any text.
fn task_id(server: &str, task: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    // A prefix has no NUL.
    hasher.update(server.as_bytes()).update(b"\0").update(task.as_bytes());
    format!("task-{}", hasher.finalize().to_hex())
}
