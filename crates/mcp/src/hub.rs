//! All tool servers, and all who use them.

mod catalogues;
mod operator;
mod registry;
mod sessions;

use crate::backend::{Backend, LinkKey};
use crate::bounded_map::LONGEST_KEY;
use crate::era::Era;
use crate::failure::Failure;
use crate::list::ListKind;
use crate::message::{Message, Sort};
use crate::redaction::redacted;
use crate::result::Original;
use crate::rpc::{self, CANCELLED};
use crate::server_link::{
    ClientIntroduction, LinkResources, ServerChannel, ServerLink, UnsolicitedSink,
};
use crate::session::{ClientIdentity, ServerScope, Session};
use crate::stats::CallStats;
use crate::tasks::{self, TaskKey, TaskRegistry};
use crate::transport::Transport;
use arc_swap::ArcSwap;
use catalogues::Catalogues;
use sessions::Sessions;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokenforge_config::{Mcp, McpBackend, ToolList};
use tokenforge_engine::Mode;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_ledger::ResultOutcome;
use tokio::sync::{Semaphore, broadcast};

pub(crate) use catalogues::{CatalogueKey, ToolCatalogue};
pub use registry::{BackendRegistry, NotSaved};

/// How many addresses of resources are remembered.
const ADDRESSES: usize = 10_000;

/// How many programs may run.
const PROGRAMS: usize = 256;

/// How long programs have to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// What a server says whose tools are others now.
pub(crate) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

/// What a server says whose resource is another now.
const UPDATED: &str = "notifications/resources/updated";

/// What is told instead of a change when there will be none any more.
pub(crate) const CLOSING: &str = "";

/// Keeps originals, and hears what became of results. All of it may block.
pub trait Originals: Send + Sync {
    /// What references are made with; `None`: nothing can be left out.
    fn key(&self) -> Option<Arc<ReferenceSecret>>;
    /// Keeps an original; `false`: it cannot be kept.
    fn keep(&self, tenant: &str, original: &Original) -> bool;
    /// The original of a reference, as a model wrote it.
    fn find(&self, tenant: &str, id: &str) -> Option<String>;
    /// Keeps what must be known of a call that was answered with this task of a server, for as long as it is used.
    fn keep_task(&self, _tenant: &str, _server: &str, _task: &str, _call: &str) {}
    /// What was kept of the call that was answered with this task.
    fn find_task(&self, _tenant: &str, _server: &str, _task: &str) -> Option<String> {
        None
    }
    /// A client got a result: what became of it, or would have if it was only observed.
    fn rewrote(&self, _client: &str, _outcome: ResultOutcome, _is_observed: bool) {}
}

/// What is done, by all settings of one moment.
#[derive(Debug, Clone)]
pub struct HubSettings {
    /// Servers, and what is done to their results.
    pub mcp: Mcp,
    /// How texts are compressed.
    pub engine: tokenforge_engine::Settings,
    /// May something be left out of a result?
    pub expands: bool,
    /// Is the tool listed that fetches it back? Not where another server of the client lists it: they share the originals.
    pub lists_expand_tool: bool,
    /// Was it promised that nothing with a secret passes? Then what cannot be checked is refused.
    pub must_redact: bool,
    /// Are tenants told apart by gateway keys? Then a task exists only for the tenant whose call created it.
    pub has_tenants: bool,
}

impl HubSettings {
    /// Is it only measured what would be done?
    pub(crate) fn is_observed(&self) -> bool {
        self.mcp.observe || self.engine.mode == Mode::Observe
    }

    /// Are secrets taken out of what servers say?
    pub(crate) fn redacts(&self) -> bool {
        self.must_redact || (self.engine.redact_secrets && !self.is_observed())
    }

    /// Are tools found by a search, in the place of a list of all?
    pub(crate) fn searches(&self) -> bool {
        self.mcp.tool_list == ToolList::Search
    }

    /// Can what clients are shown as their tools change while the settings stay? Not where it is the tools of the search.
    pub(crate) fn lists_change(&self) -> bool {
        !self.searches() || !self.mcp.pinned_tools.is_empty()
    }

    /// Is our own tool listed?
    pub(crate) fn offers_expansion(&self) -> bool {
        let leaves_out = matches!(self.engine.mode, Mode::Standard | Mode::Aggressive);
        self.expands && leaves_out && !self.mcp.observe
    }
}

/// All tool servers, and all who use them.
pub struct Hub {
    me: Weak<Hub>,
    settings: ArcSwap<HubSettings>,
    backends: ArcSwap<BTreeMap<Arc<str>, Arc<Backend>>>,
    registry: Mutex<BackendRegistry>,
    pub(crate) sessions: Sessions,
    means: LinkResources,
    pub(crate) originals: Arc<dyn Originals>,
    pub(crate) stats: CallStats,
    /// Which server had a resource.
    addresses: Mutex<HashMap<String, Arc<str>>>,
    /// That a list changed: whose, and which.
    changes: broadcast::Sender<ListChange>,
    /// How many results may be rewritten at once.
    pub(crate) rewriting: Semaphore,
    /// The tools that can be searched.
    pub(crate) catalogues: Catalogues,
    /// The tasks that were begun through us.
    pub(crate) tasks: TaskRegistry,
}

/// A list changed.
#[derive(Debug, Clone)]
pub(crate) struct ListChange {
    pub(crate) tenant: Option<Arc<str>>,
    pub(crate) prefix: Arc<str>,
    pub(crate) method: String,
}

impl Hub {
    /// A hub with these settings. Servers that were added at run time are read from `file`, and kept there.
    #[must_use]
    pub fn new(
        settings: HubSettings,
        file: Option<PathBuf>,
        transport: Arc<dyn Transport>,
        originals: Arc<dyn Originals>,
    ) -> Arc<Self> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let hub = Arc::new_cyclic(|me| Hub {
            me: me.clone(),
            settings: ArcSwap::from_pointee(settings),
            backends: ArcSwap::default(),
            registry: Mutex::new(BackendRegistry::open_or_empty(file)),
            sessions: Sessions::default(),
            means: LinkResources { transport, programs: Arc::new(Semaphore::new(PROGRAMS)) },
            originals,
            stats: CallStats::default(),
            addresses: Mutex::default(),
            changes: broadcast::Sender::new(64),
            rewriting: Semaphore::new(threads),
            catalogues: Catalogues::default(),
            tasks: TaskRegistry::default(),
        });
        hub.assemble();
        hub
    }

    /// Other settings from now on.
    pub fn configure(&self, settings: HubSettings) {
        let is_shown = settings.lists_change() || self.settings().lists_change();
        self.settings.store(Arc::new(settings));
        self.assemble();
        self.tell_lists_changed(None, is_shown);
    }

    /// What is counted.
    #[must_use]
    pub fn stats(&self) -> &CallStats {
        &self.stats
    }

    /// Ends the streams on which clients hear what belongs to no request. Requests go on.
    pub fn close_streams(&self) {
        self.sessions.all().iter().for_each(|session| {
            session.outbox.open(None);
        });
        let _ = self.changes.send(ListChange {
            tenant: None,
            prefix: "".into(),
            method: CLOSING.to_owned(),
        });
    }

    /// Ends all conversations with servers, and waits for their programs to end.
    pub async fn stop(&self) {
        self.close_streams();
        self.sessions.all().iter().for_each(|session| session.streams.close());
        self.sessions.clear();
        self.backends.store(Arc::default());
        let all = u32::try_from(PROGRAMS).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(FAREWELL, self.means.programs.acquire_many(all)).await;
    }

    pub(crate) fn settings(&self) -> Arc<HubSettings> {
        self.settings.load_full()
    }

    /// The servers that are used.
    pub(crate) fn used(&self) -> Vec<Arc<Backend>> {
        self.backends
            .load()
            .values()
            .filter(|backend| backend.definition.enabled)
            .cloned()
            .collect()
    }

    pub(crate) fn backend(&self, prefix: &str) -> Option<Arc<Backend>> {
        self.backends.load().get(prefix).filter(|backend| backend.definition.enabled).cloned()
    }

    /// The conversation of a client with a server.
    pub(crate) async fn link(
        &self,
        backend: &Arc<Backend>,
        tenant: &Arc<str>,
        era: Era,
        session: Option<&Arc<Session>>,
    ) -> Result<Arc<ServerLink>, Failure> {
        let own = session.filter(|session| session.client.can_be_asked());
        let key = LinkKey { tenant: tenant.clone(), session: own.map(|own| own.id.clone()), era };
        let told = match own {
            Some(own) => own.client.told.clone(),
            None => ClientIntroduction { info: rpc::own_info(), capabilities: "{}".to_owned() },
        };
        let prefix = backend.prefix.clone();
        let sink = || -> UnsolicitedSink {
            let hub = self.me.clone();
            let (tenant, own) = (tenant.clone(), own.map(Arc::downgrade));
            Arc::new(move |wire, text| {
                let Some(hub) = hub.upgrade() else { return };
                hub.heard(&prefix, &tenant, own.as_ref(), wire, text);
            })
        };
        backend.link(key, told, &self.means, sink).await
    }

    /// A server said something to no request in particular.
    fn heard(
        &self,
        prefix: &Arc<str>,
        tenant: &Arc<str>,
        own: Option<&Weak<Session>>,
        wire: &ServerChannel,
        text: String,
    ) {
        let Ok(text) = redacted(text.clone(), &self.settings()) else {
            wire.refuse(&text, "what it asks cannot be checked for secrets");
            return;
        };
        let Ok(message) = Message::read(&text) else { return };
        if message.method() == TOOLS_CHANGED {
            self.catalogues.changed();
            if !self.settings().lists_change() {
                return;
            }
        }
        if message.sort() == Sort::Notification {
            let method = message.method().to_owned();
            let _ = self.changes.send(ListChange {
                tenant: Some(tenant.clone()),
                prefix: prefix.clone(),
                method,
            });
        }
        let task_key = |id| TaskKey { tenant: tenant.clone(), prefix: prefix.clone(), id };
        // A server may send one client what it says about the task of another. Only the registry is asked, because this
        // must not block: a task of before a restart is in it again once its client has asked for it.
        if self.settings().has_tenants
            && tasks::subject(&message).is_some_and(|id| !self.tasks.has(&task_key(id)))
        {
            wire.refuse(&text, "it is about a task of another client");
            return;
        }
        // Only the client that began a task hears of it; no client, if that one has left or is unknown.
        let owner = || Some(self.tasks.session(&task_key(tasks::announced(&message)?)));
        match own.map(Weak::upgrade).or_else(owner) {
            Some(Some(session)) => {
                session.receive(Some(wire), session.scope.with_task_ids(text, prefix));
            }
            _ if message.sort() == Sort::Request => {
                wire.refuse(&text, "no client can be asked that");
            }
            // A cancellation goes to no other client, because none was asked what it takes back.
            None if message.method() != CANCELLED => {
                for session in self.hearers(prefix, tenant, &message) {
                    session.receive(None, session.scope.with_task_ids(text.clone(), prefix));
                }
            }
            _ => {}
        }
    }

    /// The clients that hear what a server says on a conversation that they share.
    fn hearers(
        &self,
        prefix: &Arc<str>,
        tenant: &Arc<str>,
        message: &Message<'_>,
    ) -> Vec<Arc<Session>> {
        let mut all = self.sharing(prefix, tenant);
        let updated = message.text_param("uri").filter(|_| message.method() == UPDATED);
        if let Some(address) = updated {
            all.retain(|session| session.subscriptions.has_any(prefix));
            let covers = |session: &Arc<Session>| session.subscriptions.covers(prefix, &address);
            if all.iter().any(covers) {
                all.retain(covers);
            }
        }
        all
    }

    /// The clients that share a conversation with a server.
    pub(crate) fn sharing(&self, prefix: &str, tenant: &str) -> Vec<Arc<Session>> {
        let mut all = self.sessions.all();
        all.retain(|session| {
            *session.tenant == *tenant && !session.client.can_be_asked() && session.sees(prefix)
        });
        all
    }

    /// Tells all clients that lists changed: those of one server, or all.
    pub(crate) fn lists_changed(&self, prefix: Option<&str>) {
        self.tell_lists_changed(prefix, self.settings().lists_change());
    }

    /// The same, where it is known whether the tools that clients are shown may be others.
    fn tell_lists_changed(&self, prefix: Option<&str>, are_tools: bool) {
        self.catalogues.changed();
        let sessions = self.sessions.all();
        let lists = [ListKind::Tools, ListKind::Prompts, ListKind::Resources];
        for listed in lists.into_iter().filter(|listed| are_tools || *listed != ListKind::Tools) {
            let method = format!("notifications/{}/list_changed", listed.capability());
            let text = rpc::notification(&method, None);
            for session in
                sessions.iter().filter(|session| prefix.is_none_or(|prefix| session.sees(prefix)))
            {
                session.receive(None, text.clone());
            }
            let prefix = prefix.unwrap_or_default().into();
            let _ = self.changes.send(ListChange { tenant: None, prefix, method });
        }
    }

    pub(crate) fn changes(&self) -> broadcast::Receiver<ListChange> {
        self.changes.subscribe()
    }

    /// The server that had this resource before.
    pub(crate) fn holder(&self, address: &str) -> Option<Arc<str>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner).get(address).cloned()
    }

    pub(crate) fn remember_holder(&self, address: &str, prefix: &Arc<str>) {
        if address.len() > LONGEST_KEY {
            return;
        }
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if addresses.len() >= ADDRESSES {
            addresses.clear();
        }
        addresses.insert(address.to_owned(), prefix.clone());
    }

    pub(crate) fn begin_session(
        &self,
        tenant: Arc<str>,
        scope: ServerScope,
        client: ClientIdentity,
        version: &'static str,
    ) -> Option<Arc<Session>> {
        self.sessions.begin(tenant, scope, client, version, |ended| self.leave(ended))
    }

    /// Ends a session, and the conversations that were its own.
    pub(crate) fn end_session(&self, session: &Session) {
        self.sessions.remove(&session.id);
        session.streams.close();
        session.outbox.open(None);
        self.leave(&session.id);
    }

    fn leave(&self, session: &str) {
        for backend in self.backends.load().values() {
            backend.leave(session);
        }
    }

    /// Makes the servers of the settings and of the registry those that are there.
    fn assemble(&self) {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = registry.over(&self.settings.load().mcp.backends);
        let old = self.backends.load();
        let backend = |(prefix, definition): (String, McpBackend)| {
            let same = old.get(prefix.as_str()).filter(|old| old.definition == definition);
            let backend = same.cloned().unwrap_or_else(|| Backend::new(&prefix, definition));
            (backend.prefix.clone(), backend)
        };
        self.backends.store(Arc::new(wanted.into_iter().map(backend).collect()));
    }
}
