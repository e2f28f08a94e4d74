//! A conversation with one server, for one client or for all clients of a tenant.

mod call;
mod dispatcher;
mod handshake;
mod head;
pub(crate) mod lines;
mod pending;
mod program;
mod remote;

pub(crate) use call::{CallEvent, CallInProgress};
pub(crate) use dispatcher::UnsolicitedSink;
pub(crate) use handshake::ServerInfo;
pub(crate) use head::{ModernHeaders, declared_parameters, named, parameters, read as read_header};

use crate::era::Era;
use crate::failure::Failure;
use crate::message::{Message, ParsedMessage, Sort};
use crate::outgoing::{Introduction, outgoing};
use crate::rpc::{self, ErrorCode};
use crate::transport::Transport;
use dispatcher::MessageDispatcher;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use pending::Asker;
pub(crate) use pending::TaskBeginning;
use program::{ServerProgram, WeakProgram};
use remote::{RemoteServer, WeakRemote};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_config::{McpBackend, McpTarget};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a greeting may take.
const GREETING: Duration = Duration::from_secs(30);

/// A server that was greeted.
pub(crate) struct ServerLink {
    /// The era that is spoken with it.
    pub(crate) era: Era,
    /// What it said about itself.
    pub(crate) server: ServerInfo,
    /// When it was greeted.
    pub(crate) since: Instant,
    wire: ServerChannel,
    inbox: Arc<MessageDispatcher>,
    told: ClientIntroduction,
    timeout: Duration,
}

/// What it takes to reach servers.
pub(crate) struct LinkResources {
    pub(crate) transport: Arc<dyn Transport>,
    /// How many programs may run.
    pub(crate) programs: Arc<Semaphore>,
}

/// What a server is told about its client, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientIntroduction {
    /// Who it is.
    pub(crate) info: String,
    /// What it can do.
    pub(crate) capabilities: String,
}

/// The way to a server.
#[derive(Clone)]
pub(crate) enum ServerChannel {
    /// A program that was started.
    Program(ServerProgram),
    /// An address.
    Address(RemoteServer),
}

/// The way to a server, which ends when no strong handle is left.
#[derive(Clone)]
pub(crate) enum WeakChannel {
    Program(WeakProgram),
    Address(WeakRemote),
}

impl WeakChannel {
    pub(crate) fn upgrade(&self) -> Option<ServerChannel> {
        match self {
            WeakChannel::Program(program) => program.upgrade().map(ServerChannel::Program),
            WeakChannel::Address(address) => address.upgrade().map(ServerChannel::Address),
        }
    }

    /// Does it lead to the same server?
    pub(crate) fn is(&self, wire: &ServerChannel) -> bool {
        match (self.upgrade(), wire) {
            (Some(ServerChannel::Program(one)), ServerChannel::Program(other)) => one.is(other),
            (Some(ServerChannel::Address(one)), ServerChannel::Address(other)) => one.is(other),
            _ => false,
        }
    }
}

impl ServerChannel {
    pub(crate) fn downgrade(&self) -> WeakChannel {
        match self {
            ServerChannel::Program(program) => WeakChannel::Program(program.downgrade()),
            ServerChannel::Address(address) => WeakChannel::Address(address.downgrade()),
        }
    }

    /// Sends what wants no answer.
    pub(crate) async fn tell(&self, text: String) -> Result<(), Failure> {
        match self {
            ServerChannel::Program(program) => program.send(text).await,
            ServerChannel::Address(address) => address.tell(text).await,
        }
    }

    /// The same for a caller that cannot wait and need not know whether it arrived.
    pub(crate) fn reply(&self, text: String) {
        match self {
            ServerChannel::Program(program) => program.try_send(text),
            ServerChannel::Address(address) => {
                let address = address.clone();
                let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
                runtime.spawn(async move {
                    let _ = tokio::time::timeout(GREETING, address.tell(text)).await;
                });
            }
        }
    }

    /// Tells the server that its question reaches no client, and why. A notification gets no reply.
    pub(crate) fn refuse(&self, question: &str, why: &str) {
        let Ok(message) = Message::read(question) else { return };
        if message.sort() == Sort::Request {
            self.reply(rpc::error(message.id(), ErrorCode::Method, why));
        }
    }

    fn is_alive(&self) -> bool {
        match self {
            ServerChannel::Program(program) => program.is_alive(),
            ServerChannel::Address(address) => address.is_alive(),
        }
    }
}

/// A request on its way, and what is to be changed in it.
pub(crate) struct LinkRequest<'a> {
    pub(crate) message: &'a Message<'a>,
    /// The parameter that names something, and its name as the server gave it.
    pub(crate) rename: Option<(&'a [&'a str], &'a str)>,
    /// What the headers say in the modern era.
    pub(crate) head: ModernHeaders,
    /// Does the client itself speak the modern era?
    pub(crate) is_modern: bool,
    /// What happens if it is answered with a task.
    pub(crate) begins: Option<TaskBeginning>,
}

impl ServerLink {
    /// Starts or reaches a server, and greets it.
    pub(crate) async fn connect(
        definition: &McpBackend,
        preferred: Era,
        told: ClientIntroduction,
        means: &LinkResources,
        sink: UnsolicitedSink,
    ) -> Result<Arc<Self>, Failure> {
        let inbox = Arc::new(MessageDispatcher::new(sink));
        let (wire, first) = match &definition.target {
            McpTarget::Http { url, headers } => {
                let pair = |(name, value): (&String, &tokenforge_config::Secret)| {
                    let mut value = HeaderValue::from_str(value.expose()).ok()?;
                    value.set_sensitive(true);
                    Some((HeaderName::try_from(name.as_str()).ok()?, value))
                };
                let headers: HeaderMap = headers.iter().filter_map(pair).collect();
                let address =
                    RemoteServer::new(url.clone(), headers, means.transport.clone(), inbox.clone());
                (ServerChannel::Address(address), preferred)
            }
            McpTarget::Command { command, args, env, folder } => {
                let permit =
                    means.programs.clone().try_acquire_owned().map_err(|_| Failure::Busy)?;
                let program = ServerProgram::start(
                    command,
                    args,
                    env,
                    folder.as_deref(),
                    inbox.clone(),
                    permit,
                )?;
                // Old programs may end at a word that they do not know before the greeting.
                (ServerChannel::Program(program), Era::Legacy)
            }
        };
        let patience = definition.timeout.min(GREETING);
        let (era, server) = handshake::greet(&wire, &inbox, &told, first, patience).await?;
        let timeout = definition.timeout;
        Ok(Arc::new(ServerLink { era, server, since: Instant::now(), wire, inbox, told, timeout }))
    }

    pub(crate) fn wire(&self) -> &ServerChannel {
        &self.wire
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.wire.is_alive()
    }

    /// Sends a client's request.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        asked: LinkRequest<'_>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<CallInProgress, Failure> {
        let LinkRequest { message, rename, mut head, is_modern, begins } = asked;
        let id = self.inbox.pending.id();
        let ClientIntroduction { info, capabilities } = &self.told;
        let introduction = match (self.era, is_modern) {
            (Era::Modern, false) => Introduction::Told { info, capabilities },
            (Era::Legacy, true) => Introduction::Nothing,
            _ => Introduction::Own,
        };
        let sent = outgoing(message, id, rename, introduction);
        head.era = self.era;
        let asker = Asker::Client { token: sent.token, begins };
        self.start(id, sent.text, asker, head, permit).await
    }

    /// Gives what was said to a request to the sink for messages that belong to none.
    pub(crate) fn pass_on(&self, text: String) {
        self.inbox.pass_on(&self.wire, text);
    }

    /// Sends a request of our own, and waits for its answer.
    pub(crate) async fn ask_ourselves(
        self: &Arc<Self>,
        method: &str,
        params: &str,
    ) -> Result<ParsedMessage, Failure> {
        let id = self.inbox.pending.id();
        let mut text = rpc::request(id, method, params);
        let ClientIntroduction { info, capabilities } = &self.told;
        let introduction = match self.era {
            Era::Modern => Introduction::Told { info, capabilities },
            Era::Legacy => Introduction::Nothing,
        };
        let mut head =
            ModernHeaders { era: self.era, method: method.to_owned(), ..ModernHeaders::default() };
        if let Ok(message) = Message::read(&text) {
            head.name = named(&message);
            text = outgoing(&message, id, None, introduction).text;
        }
        let mut call = self.start(id, text, Asker::Ourselves, head, None).await?;
        loop {
            match call.next().await {
                CallEvent::Answer(answer) => return answer,
                // It is not said to us.
                CallEvent::Message(text) => self.pass_on(text),
                CallEvent::Pause(_) => {}
            }
        }
    }

    async fn start(
        self: &Arc<Self>,
        id: u64,
        text: String,
        asker: Asker,
        head: ModernHeaders,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<CallInProgress, Failure> {
        let waiter = self.inbox.pending.wait(id, asker);
        let mut call = CallInProgress::new(self.clone(), id, waiter, self.timeout, permit);
        match &self.wire {
            ServerChannel::Program(program) => {
                let sent = tokio::time::timeout(self.timeout, program.send(text)).await;
                sent.map_err(|_| Failure::TimedOut(self.timeout))??;
            }
            ServerChannel::Address(address) => {
                let address = address.clone();
                let task = tokio::spawn(async move { address.ask(id, text, head).await });
                call.follow(task.abort_handle());
            }
        }
        Ok(call)
    }

    /// A request before the greeting is over, and its answer.
    async fn exchange(
        wire: &ServerChannel,
        inbox: &MessageDispatcher,
        method: &str,
        params: &str,
        head: ModernHeaders,
        patience: Duration,
    ) -> Result<ParsedMessage, Failure> {
        let id = inbox.pending.id();
        let text = rpc::request(id, method, params);
        let mut waiter = inbox.pending.wait(id, Asker::Ourselves);
        let sent = async {
            match wire {
                ServerChannel::Program(program) => program.send(text).await?,
                ServerChannel::Address(address) => address.ask(id, text, head).await,
            }
            waiter.messages.close();
            waiter.answer.await.unwrap_or(Err(Failure::Broken))
        };
        let answer = tokio::time::timeout(patience, sent).await;
        inbox.pending.forget(id);
        answer.unwrap_or(Err(Failure::TimedOut(patience)))
    }
}
