//! The first words with a server, in the era it speaks.

use super::{Link, Told, Wire};
use crate::era::{Era, LEGACY, MODERN, SERVER_KEY};
use crate::failure::Failure;
use crate::link::head::Head;
use crate::link::inbox::Inbox;
use crate::message::Message;
use crate::outgoing::introduction;
use crate::rpc;
use std::time::Duration;
use tokenforge_json::ValueKind;

/// What a server said about itself.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    /// What it can do, as JSON.
    pub(crate) capabilities: String,
    /// Who it is, as JSON.
    pub(crate) info: String,
    /// How to use it, as JSON.
    pub(crate) instructions: Option<String>,
    /// All it said, as JSON.
    pub(crate) said: String,
}

impl Server {
    fn of(answer: &str) -> Result<Self, Failure> {
        let message = Message::read(answer).map_err(|_| Failure::Garbage)?;
        let result = message.result().ok_or(Failure::NotGreeted)?;
        let [capabilities, info, instructions] =
            result.pick(["capabilities", "serverInfo", "instructions"]);
        let info = info.or_else(|| result.get("_meta")?.get(SERVER_KEY));
        let raw = |node: Option<tokenforge_json::Node<'_>>| node.map(|node| node.raw().to_owned());
        Ok(Server {
            capabilities: raw(capabilities).unwrap_or_else(|| "{}".to_owned()),
            info: raw(info)
                .unwrap_or_else(|| "{\"name\":\"unknown\",\"version\":\"0\"}".to_owned()),
            instructions: raw(instructions),
            said: result.raw().to_owned(),
        })
    }

    /// Can it do this?
    pub(crate) fn can(&self, capability: &str) -> bool {
        let node = tokenforge_json::Node::read(&self.capabilities).ok();
        node.and_then(|node| node.get(capability)).is_some()
    }

    /// Does it tell when its lists change?
    fn tells_changes(&self) -> bool {
        let node = tokenforge_json::Node::read(&self.capabilities).ok();
        let tells = |capability: &str| {
            let told = node.as_ref().and_then(|node| node.get(capability)?.get("listChanged"));
            told.is_some_and(|told| told.kind() == ValueKind::True)
        };
        ["tools", "prompts", "resources"].into_iter().any(tells)
    }
}

/// Greets a server: in this era first, and in the other if it does not understand.
pub(super) async fn greet(
    wire: &Wire,
    inbox: &Inbox,
    told: &Told,
    first: Era,
    patience: Duration,
) -> Result<(Era, Server), Failure> {
    let second = if first == Era::Legacy { Era::Modern } else { Era::Legacy };
    match greet_in(first, wire, inbox, told, patience).await {
        Ok(server) => Ok((first, server)),
        Err(failure @ (Failure::Unreachable(_) | Failure::TimedOut(_) | Failure::Exited)) => {
            Err(failure)
        }
        Err(failure) => match greet_in(second, wire, inbox, told, patience).await {
            Ok(server) => Ok((second, server)),
            Err(_) => Err(failure),
        },
    }
}

async fn greet_in(
    era: Era,
    wire: &Wire,
    inbox: &Inbox,
    told: &Told,
    patience: Duration,
) -> Result<Server, Failure> {
    match era {
        Era::Legacy => initialize(wire, inbox, told, patience).await,
        Era::Modern => discover(wire, inbox, told, patience).await,
    }
}

async fn initialize(
    wire: &Wire,
    inbox: &Inbox,
    told: &Told,
    patience: Duration,
) -> Result<Server, Failure> {
    let Told { info, capabilities } = told;
    let params = format!(
        r#"{{"protocolVersion":"{}","capabilities":{capabilities},"clientInfo":{info}}}"#,
        LEGACY[0]
    );
    let answer =
        Link::exchange(wire, inbox, "initialize", &params, Head::default(), patience).await?;
    let server = Server::of(&answer)?;
    let message = Message::read(&answer).map_err(|_| Failure::Garbage)?;
    let version = message.result().and_then(|result| result.get("protocolVersion")?.text());
    if let (Wire::Address(address), Some(version)) = (wire, &version) {
        address.agree(version);
    }
    wire.tell(rpc::notification("notifications/initialized", None)).await?;
    if let Wire::Address(address) = wire {
        address.listen();
    }
    Ok(server)
}

async fn discover(
    wire: &Wire,
    inbox: &Inbox,
    told: &Told,
    patience: Duration,
) -> Result<Server, Failure> {
    let params = format!("{{\"_meta\":{}}}", introduction(&told.info, &told.capabilities));
    let head = Head { era: Era::Modern, method: "server/discover".to_owned(), ..Head::default() };
    let answer = Link::exchange(wire, inbox, "server/discover", &params, head, patience).await?;
    let message = Message::read(&answer).map_err(|_| Failure::Garbage)?;
    let versions = message.result().and_then(|result| result.get("supportedVersions"));
    let speaks =
        versions.is_some_and(|all| all.elements().iter().any(|version| version.is(MODERN)));
    if !speaks {
        return Err(Failure::NotGreeted);
    }
    let server = Server::of(&answer)?;
    if let Wire::Address(address) = wire
        && server.tells_changes()
    {
        address.subscribe(introduction(&told.info, &told.capabilities));
    }
    Ok(server)
}
