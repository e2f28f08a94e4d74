//! A gateway that runs, asked over HTTP.

use crate::data;
use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use std::env;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{Limits, Secret, Settings};
use tokenforge_gateway::Challenge;
use tokenforge_ledger::{GainReport, GroupBy};
use tokenforge_mcp::{LONGEST_MESSAGE, Transport};

/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// The variable that has the token of the admin API.
const TOKEN: &str = "FORGE_ADMIN_TOKEN";

/// Where a program shows that it is of the user who runs the gateway.
pub(crate) const CLIENT_TOKEN: &str = "X-Forge-Token";

/// Where the gateway manages its tool servers.
const SERVERS: &str = "/_forge/api/mcp";

/// What a gateway says about itself when it is asked for its health.
const VERSION: &str = "x-forge-version";

/// A gateway that may run.
pub(crate) struct GatewayClient {
    /// Without a slash at its end.
    pub(crate) url: String,
    /// The token for its admin API.
    pub(crate) token: Option<Secret>,
    /// What its tools ask for where the system does not say whose program this is.
    client_token: Option<Secret>,
    proof: RequiredProof,
    transport: Arc<dyn Transport>,
}

/// How a gateway proves that it is the user's, before it is shown a token. Another user's program can listen at the address.
enum RequiredProof {
    /// None: the user named the gateway and gave a token for it.
    Trusted,
    /// It knows this token of the data folder.
    Knows(Secret),
    /// It cannot be verified, and why.
    Impossible(String),
}

/// What a gateway answers.
pub(crate) struct GatewayAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Why there is no answer to go on with.
#[derive(Debug)]
pub(crate) enum GatewayError {
    /// No gateway answers at the address.
    Absent(String),
    /// The admin API is not for us.
    Refused(String),
}

impl fmt::Display for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (GatewayError::Absent(why) | GatewayError::Refused(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for GatewayError {}

impl GatewayClient {
    pub(crate) fn new(url: &str, token: Option<Secret>) -> anyhow::Result<Self> {
        let url = url.trim_end_matches('/').to_owned();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            bail!("expected an address such as http://127.0.0.1:8787, found `{url}`");
        }
        let limits = Limits { connect_timeout: PATIENCE, ..Limits::default() };
        let (proof, transport) = (RequiredProof::Trusted, tokenforge_gateway::transport(&limits));
        Ok(GatewayClient { url, token, client_token: None, proof, transport })
    }

    /// The same, with a client token.
    pub(crate) fn with_client_token(self, client_token: Option<Secret>) -> Self {
        GatewayClient { client_token, ..self }
    }

    /// The gateway that was named, else the one of these settings, with the admin token that is for it: the one given,
    /// else that of the settings or the data folder. Theirs are shown to the gateway of these settings, or of this
    /// machine, once it has proved to be the user's, and to no other.
    pub(crate) fn of_operator(
        named: Option<&str>,
        given: Option<String>,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let set = || env::var(TOKEN).ok().filter(|token| !token.is_empty());
        let given = given.or_else(|| named.and_then(|_| set())).map(Secret::new);
        if let Some(named) = named
            && (given.is_some() || !is_local(named))
        {
            return Self::new(named, given);
        }
        let own = url(settings.listen);
        let gateway = Self::new(named.unwrap_or(&own), given)?.with_client_token(client_token());
        if gateway.token.is_some() {
            return Ok(gateway);
        }
        let set = settings.admin_token.clone().filter(|_| named.is_none());
        Ok(match data::drawn_admin_token() {
            Ok(drawn) => GatewayClient {
                token: set.or_else(|| Some(drawn.clone())),
                proof: RequiredProof::Knows(drawn),
                ..gateway
            },
            Err(error) => GatewayClient {
                token: set,
                proof: RequiredProof::Impossible(format!("{error:#}")),
                ..gateway
            },
        })
    }

    /// Fails unless what answers is known to be the gateway that the token is for.
    async fn verify(&self) -> anyhow::Result<()> {
        let url = &self.url;
        let drawn = match &self.proof {
            RequiredProof::Trusted => return Ok(()),
            RequiredProof::Knows(drawn) => drawn,
            RequiredProof::Impossible(why) => {
                bail!("cannot tell whether what answers at {url} is your gateway: {why}")
            }
        };
        let challenge = Challenge::draw().context("the operating system has no random numbers")?;
        let mut headers = HeaderMap::new();
        headers.insert(Challenge::HEADER, HeaderValue::from_str(challenge.as_str())?);
        let answer = self.transmit(Method::GET, "/_forge/healthz", headers, String::new()).await?;
        let port = url.parse::<Uri>().ok().and_then(|uri| uri.port_u16()).unwrap_or(80);
        let proofs = challenge.proofs(drawn, port, &Settings::default());
        if !proofs.are_shown(|name| Some(answer.headers.get(name)?.to_str().ok()?.to_owned())) {
            bail!(
                "what answers at {url} does not prove to be your gateway, so it is shown no token; if you trust \
                 it, name it with its token: --gateway {url}, and FORGE_ADMIN_TOKEN"
            );
        }
        Ok(())
    }

    /// Its version, if one of ours answers in time.
    pub(crate) async fn version(&self) -> Option<String> {
        let asking = self.send(Method::GET, "/_forge/healthz", HeaderMap::new(), String::new());
        let answer = tokio::time::timeout(PATIENCE, asking).await.ok()?.ok()?;
        Some(answer.headers.get(VERSION)?.to_str().ok()?.to_owned())
    }

    /// Does it take requests?
    pub(crate) async fn is_ready(&self) -> anyhow::Result<bool> {
        let asking = self.send(Method::GET, "/_forge/readyz", HeaderMap::new(), String::new());
        let answer = tokio::time::timeout(PATIENCE, asking).await;
        Ok(answer.with_context(|| format!("{} does not answer", self.url))??.status.is_success())
    }

    /// What it saved, added up by this: all, or what the rest of a query (`&days=7`) asks for.
    pub(crate) async fn gain(&self, by: GroupBy, query: &str) -> anyhow::Result<GainReport> {
        let path = format!("/_forge/api/gain?by={}{query}", by.name());
        let document = self.admin(Method::GET, &path, None).await?;
        let other = || format!("the gateway at {} has another version", self.url);
        serde_json::from_value(document).with_context(other)
    }

    /// Its tool servers, without their secrets.
    pub(crate) async fn backends(&self) -> anyhow::Result<Vec<Value>> {
        let mut document = self.admin(Method::GET, SERVERS, None).await?;
        match document["backends"].take() {
            Value::Array(backends) => Ok(backends),
            _ => bail!("what answers at {} is not a Tokenforge gateway", self.url),
        }
    }

    /// Where it keeps servers that its settings do not have.
    pub(crate) async fn servers_file(&self) -> anyhow::Result<Option<PathBuf>> {
        let settings = self.admin(Method::GET, "/_forge/api/config", None).await?;
        Ok(settings["mcp"]["file"].as_str().map(PathBuf::from))
    }

    /// Tells it to read that file again.
    pub(crate) async fn reload_servers(&self) -> anyhow::Result<()> {
        self.admin(Method::POST, &format!("{SERVERS}/reload"), None).await.map(drop)
    }

    /// A link to its dashboard that signs one browser in, and for how many seconds.
    pub(crate) async fn sign_in_link(&self) -> anyhow::Result<(String, u64)> {
        let link = self.admin(Method::POST, "/_forge/api/link", None).await?;
        match (link["path"].as_str(), link["expires_in"].as_u64()) {
            (Some(path), Some(seconds)) => Ok((format!("{}{path}", self.url), seconds)),
            _ => bail!("what answers at {} is not a Tokenforge gateway", self.url),
        }
    }

    /// Removes a server.
    pub(crate) async fn remove(&self, name: &str) -> anyhow::Result<()> {
        self.admin(Method::DELETE, &format!("{SERVERS}/{name}"), None).await.map(drop)
    }

    async fn admin(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let mut headers = HeaderMap::new();
        if let Some(token) = &self.token {
            self.verify().await?;
            headers.insert(AUTHORIZATION, secret(&format!("Bearer {}", token.expose()))?);
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let GatewayAnswer { status, body, .. } = self.send(method, path, headers, body).await?;
        let document: Value = serde_json::from_slice(&body).unwrap_or_default();
        if status.is_success() {
            return Ok(document);
        }
        let Some(message) = document["error"]["message"].as_str() else {
            bail!("what answers at {} is not a Tokenforge gateway: it says {status}", self.url);
        };
        let message = message.strip_prefix("tokenforge: ").unwrap_or(message);
        let message = format!("the gateway at {}: {message}", self.url);
        match status {
            StatusCode::UNAUTHORIZED => {
                let unread = match &self.proof {
                    RequiredProof::Impossible(why) => format!(" ({why})"),
                    RequiredProof::Trusted | RequiredProof::Knows(_) => String::new(),
                };
                let why = format!(
                    "the gateway at {} needs its admin token: set FORGE_ADMIN_TOKEN, or run this as the user who \
                     started it{unread}",
                    self.url
                );
                Err(GatewayError::Refused(why).into())
            }
            StatusCode::FORBIDDEN => Err(GatewayError::Refused(message).into()),
            _ => bail!(message),
        }
    }

    /// Sends a request and reads the whole answer. A call of a tool carries the client token, if there is one.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        body: String,
    ) -> anyhow::Result<GatewayAnswer> {
        if let Some(token) = self.client_token.as_ref().filter(|_| path.starts_with("/mcp")) {
            self.verify().await?;
            let name = HeaderName::from_bytes(CLIENT_TOKEN.as_bytes())?;
            headers.insert(name, secret(token.expose())?);
        }
        self.transmit(method, path, headers, body).await
    }

    async fn transmit(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: String,
    ) -> anyhow::Result<GatewayAnswer> {
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = method;
        *request.uri_mut() = format!("{}{path}", self.url).parse().context("--gateway")?;
        *request.headers_mut() = headers;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sent = self.transport.send(request).await;
        let (head, received) = sent.map_err(GatewayError::Absent)?.into_parts();
        // Our own figures come beside a result.
        let body = Limited::new(received, 2 * LONGEST_MESSAGE).collect().await;
        let body = body.map_err(|_| anyhow::anyhow!("the answer of {} broke off", self.url))?;
        Ok(GatewayAnswer { status: head.status, headers: head.headers, body: body.to_bytes() })
    }
}

/// The client token of the data folder, if one was drawn.
pub(crate) fn client_token() -> Option<Secret> {
    tokenforge_gateway::read_token(&data::client_token_file().ok()?).ok()
}

/// Where clients on this machine reach a gateway that listens here.
pub(crate) fn url(listen: SocketAddr) -> String {
    format!("http://{}", reached_at(listen))
}

/// The same, without the scheme.
pub(crate) fn reached_at(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// Is this an address of this machine?
pub(crate) fn is_local(url: &str) -> bool {
    let host = url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    host.is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    })
}

/// A header that no log shows.
pub(crate) fn secret(text: &str) -> anyhow::Result<HeaderValue> {
    let mut value = HeaderValue::from_str(text)
        .context("a token or key has characters that a header cannot have")?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_that_listens_everywhere_is_reached_on_this_machine() {
        let of = |listen: &str| url(listen.parse().unwrap());
        assert_eq!(of("0.0.0.0:80"), "http://127.0.0.1:80");
        assert_eq!(of("[::]:80"), "http://[::1]:80");
        assert_eq!(of("10.1.2.3:80"), "http://10.1.2.3:80");
    }

    #[test]
    fn d60_the_token_of_the_data_folder_leaves_this_machine_for_no_gateway() {
        for url in ["http://127.0.0.1:1", "http://localhost:8787/", "http://[::1]:1"] {
            assert!(is_local(url), "{url}");
        }
        for url in
            ["http://10.1.2.3:1", "https://localhost.evil.example", "http://127.0.0.1.nip.io"]
        {
            assert!(!is_local(url), "{url}");
        }
    }
}
