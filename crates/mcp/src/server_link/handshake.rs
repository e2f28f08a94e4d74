//! The first words with a server, in the era it speaks.

use super::{ClientIntroduction, ServerChannel, ServerLink};
use crate::era::{Era, LEGACY, MODERN, SERVER_KEY};
use crate::failure::Failure;
use crate::message::Message;
use crate::outgoing::introduction;
use crate::rpc;
use crate::server_link::dispatcher::MessageDispatcher;
use crate::server_link::head::ModernHeaders;
use std::time::Duration;
use tokenforge_json::ValueKind;

/// What a server said about itself.
#[derive(Debug, Clone)]
pub(crate) struct ServerInfo {
    /// What it can do, as JSON.
    pub(crate) capabilities: String,
    /// Who it is, as JSON.
    pub(crate) info: String,
    /// How to use it, as JSON.
    pub(crate) instructions: Option<String>,
    /// All it said, as JSON.
    pub(crate) said: String,
}

impl ServerInfo {
    fn of(message: &Message<'_>) -> Result<Self, Failure> {
        let result = message.result().ok_or(Failure::NotGreeted)?;
        let [capabilities, info, instructions] =
            result.pick(["capabilities", "serverInfo", "instructions"]);
        let info = info.or_else(|| result.get("_meta")?.get(SERVER_KEY));
        let raw = |node: Option<tokenforge_json::Node<'_>>| node.map(|node| node.raw().to_owned());
        Ok(ServerInfo {
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

    /// Can it do this part of what it can?
    pub(crate) fn can_all(&self, path: &[&str]) -> bool {
        let node = tokenforge_json::Node::read(&self.capabilities).ok();
        let found = node.and_then(|node| path.iter().try_fold(node, |node, name| node.get(name)));
        found.is_some_and(|found| found.kind() != ValueKind::False)
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
    wire: &ServerChannel,
    inbox: &MessageDispatcher,
    told: &ClientIntroduction,
    first: Era,
    patience: Duration,
) -> Result<(Era, ServerInfo), Failure> {
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
    wire: &ServerChannel,
    inbox: &MessageDispatcher,
    told: &ClientIntroduction,
    patience: Duration,
) -> Result<ServerInfo, Failure> {
    match era {
        Era::Legacy => initialize(wire, inbox, told, patience).await,
        Era::Modern => discover(wire, inbox, told, patience).await,
    }
}

async fn initialize(
    wire: &ServerChannel,
    inbox: &MessageDispatcher,
    told: &ClientIntroduction,
    patience: Duration,
) -> Result<ServerInfo, Failure> {
    let ClientIntroduction { info, capabilities } = told;
    let params = format!(
        r#"{{"protocolVersion":"{}","capabilities":{capabilities},"clientInfo":{info}}}"#,
        LEGACY[0]
    );
    let answer = ServerLink::exchange(
        wire,
        inbox,
        "initialize",
        &params,
        ModernHeaders::default(),
        patience,
    )
    .await?;
    let message = answer.view();
    let server = ServerInfo::of(&message)?;
    let version = message.result().and_then(|result| result.get("protocolVersion")?.text());
    if let (ServerChannel::Address(address), Some(version)) = (wire, &version) {
        address.agree(version);
    }
    wire.tell(rpc::notification("notifications/initialized", None)).await?;
    if let ServerChannel::Address(address) = wire {
        address.listen();
    }
    Ok(server)
}

async fn discover(
    wire: &ServerChannel,
    inbox: &MessageDispatcher,
    told: &ClientIntroduction,
    patience: Duration,
) -> Result<ServerInfo, Failure> {
    let params = format!("{{\"_meta\":{}}}", introduction(&told.info, &told.capabilities));
    let head = ModernHeaders {
        era: Era::Modern,
        method: "server/discover".to_owned(),
        ..ModernHeaders::default()
    };
    let answer =
        ServerLink::exchange(wire, inbox, "server/discover", &params, head, patience).await?;
    let message = answer.view();
    let versions = message.result().and_then(|result| result.get("supportedVersions"));
    let speaks =
        versions.is_some_and(|all| all.elements().iter().any(|version| version.is(MODERN)));
    if !speaks {
        return Err(Failure::NotGreeted);
    }
    let server = ServerInfo::of(&message)?;
    if let ServerChannel::Address(address) = wire
        && server.tells_changes()
    {
        address.subscribe(introduction(&told.info, &told.capabilities));
    }
    Ok(server)
}
