//! `initialize` and `server/discover`: the first words with a client, what the servers it sees can do.

use super::lists::PATIENCE;
use super::request_context::RequestContext;
use super::responses::{json, problem};
use super::{Body, EndpointRequest, SESSION};
use crate::era::{Era, agreed, versions};
use crate::hub::Hub;
use crate::message::Message;
use crate::rpc::{self, ErrorCode};
use crate::server_link::{ServerInfo, ServerLink};
use crate::session::{ClientIdentity, ServerScope};
use crate::tasks;
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_json::{Edit, Node, quote};
use tokio::time::{Instant, timeout_at};

/// How much of the servers' instructions is passed on.
const INSTRUCTIONS: usize = 16 << 10;

impl Hub {
    /// Begins a session.
    pub(super) async fn welcome(
        self: &Arc<Self>,
        ask: &EndpointRequest,
        scope: ServerScope,
        client: ClientIdentity,
        message: &Message<'_>,
    ) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let version = agreed(&message.text_param("protocolVersion").unwrap_or_default());
        let Some(session) =
            self.begin_session(ask.tenant.clone(), scope.clone(), client.clone(), version)
        else {
            return problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                Some(id),
                ErrorCode::Internal,
                "no session can be begun",
            );
        };
        let visit =
            RequestContext::new(self, ask, scope, Era::Legacy, client, Some(session.clone()));
        let result = match visit.greeting().await {
            Ok(greeting) => greeting.initialized(session.version),
            Err(answer) => {
                self.end_session(&session);
                return json(StatusCode::OK, answer(id));
            }
        };
        // How servers say that they are to be used is told to models.
        let checked = visit.checked_own(rpc::result(id, &result)).await;
        let has_result = checked.as_ref().is_ok_and(|answer| answer.view().result().is_some());
        let text = checked.map_or_else(|failure| failure.answer(id, ""), |it| it.text().to_owned());
        let mut answer = json(StatusCode::OK, text);
        if !has_result {
            self.end_session(&session);
            return answer;
        }
        if let Ok(session) = HeaderValue::from_str(&session.id) {
            answer.headers_mut().insert(SESSION, session);
        }
        answer
    }
}

/// What is said about the servers that a client sees.
enum ServerGreeting {
    /// All of them as one.
    All { capabilities: Value, instructions: String },
    /// One, as it said it.
    One(Arc<ServerLink>),
}

impl RequestContext {
    pub(super) async fn discover(self, id: &str) -> Response<Body> {
        let text = match self.greeting().await {
            Ok(greeting) => self.checked_text(rpc::result(id, &greeting.discovered()), id).await,
            Err(answer) => answer(id),
        };
        json(StatusCode::OK, text)
    }

    async fn greeting(&self) -> Result<ServerGreeting, impl FnOnce(&str) -> String + use<>> {
        let mut servers = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        let greet = |backend: Arc<crate::backend::Backend>| {
            let visit = self.clone();
            // A task of its own: a server that starts slowly goes on starting when no request waits any more.
            tokio::spawn(async move { visit.link(&backend).await })
        };
        if let ServerScope::One(prefix) = &self.scope {
            let prefix = prefix.clone();
            let link = match self.hub.backend(&prefix).map(greet) {
                Some(greeting) => greeting.await.unwrap_or(Err(crate::failure::Failure::Broken)),
                None => Err(crate::failure::Failure::NotGreeted),
            };
            return link
                .map(ServerGreeting::One)
                .map_err(|failure| move |id: &str| failure.answer(id, &prefix));
        }
        let greetings: Vec<_> = self
            .backends()
            .into_iter()
            .map(|backend| (backend.prefix.clone(), greet(backend)))
            .collect();
        for (prefix, greeting) in greetings {
            if let Ok(Ok(Ok(link))) = timeout_at(deadline, greeting).await {
                servers.push((prefix, link.server.clone()));
            }
        }
        let (capabilities, instructions) =
            (capabilities(&servers, self.era), instructions(&servers));
        Ok(ServerGreeting::All { capabilities, instructions })
    }
}

impl ServerGreeting {
    /// As the answer to `initialize`.
    fn initialized(&self, version: &str) -> String {
        match self {
            ServerGreeting::One(link) if link.era == Era::Legacy => {
                let said = &link.server.said;
                let Ok(node) = Node::read(said) else { return said.clone() };
                let mut edits = Edit::new(said);
                edits.set_in_front(&node, "protocolVersion", quote(version));
                edits.done().into_owned()
            }
            greeting => {
                format!(r#"{{"protocolVersion":{},{}}}"#, quote(version), greeting.members())
            }
        }
    }

    /// As the answer to `server/discover`.
    fn discovered(&self) -> String {
        match self {
            ServerGreeting::One(link) if link.era == Era::Modern => {
                let said = &link.server.said;
                let Ok(node) = Node::read(said) else { return said.clone() };
                let mut edits = Edit::new(said);
                // The versions are those that are spoken here.
                edits.set_in_front(&node, "supportedVersions", versions());
                edits.done().into_owned()
            }
            greeting => format!(
                r#"{{"resultType":"complete","supportedVersions":{},"ttlMs":0,"cacheScope":"private",{},"_meta":{{"io.modelcontextprotocol/serverInfo":{}}}}}"#,
                versions(),
                greeting.members(),
                greeting.info(),
            ),
        }
    }

    fn members(&self) -> String {
        let (capabilities, instructions) = match self {
            ServerGreeting::All { capabilities, instructions } => (
                capabilities.to_string(),
                Some(quote(instructions)).filter(|_| !instructions.is_empty()),
            ),
            ServerGreeting::One(link) => {
                (link.server.capabilities.clone(), link.server.instructions.clone())
            }
        };
        let instructions =
            instructions.map(|text| format!(",\"instructions\":{text}")).unwrap_or_default();
        format!(r#""capabilities":{capabilities},"serverInfo":{}{instructions}"#, self.info())
    }

    fn info(&self) -> String {
        match self {
            ServerGreeting::All { .. } => rpc::own_info(),
            ServerGreeting::One(link) => link.server.info.clone(),
        }
    }
}

/// What servers can do together. Tools are always among it: we have one of our own, and servers may come later.
fn capabilities(servers: &[(Arc<str>, ServerInfo)], era: Era) -> Value {
    let can = |capability: &str| servers.iter().any(|(_, server)| server.can(capability));
    let mut all = json!({"tools": {"listChanged": true}});
    if can("prompts") {
        all["prompts"] = json!({"listChanged": true});
    }
    if can("resources") {
        all["resources"] = json!({"listChanged": true, "subscribe": true});
    }
    for capability in ["logging", "completions"] {
        if can(capability) {
            all[capability] = json!({});
        }
    }
    let own = servers.iter().map(|(_, server)| server.capabilities.as_str());
    for (name, value) in tasks::capabilities(own, era) {
        all[name] = value;
    }
    all
}

/// How to use them, each under its prefix.
fn instructions(servers: &[(Arc<str>, ServerInfo)]) -> String {
    let mut all = String::new();
    for (prefix, server) in servers {
        let own = server.instructions.as_deref().and_then(|own| Node::read(own).ok()?.text());
        if let Some(own) = own.filter(|own| !own.is_empty() && all.len() + own.len() < INSTRUCTIONS)
        {
            all += &format!("# {prefix}\n{own}\n\n");
        }
    }
    all.trim_end().to_owned()
}
