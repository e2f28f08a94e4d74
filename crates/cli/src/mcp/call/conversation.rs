//! A conversation with one tool server: through a gateway that runs, or through a hub of our own, which starts it.

use super::super::originals::LocalOriginals;
use crate::gateway::{GatewayAnswer, GatewayClient, secret};
use crate::output::printable;
use anyhow::{Context, bail};
use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{Limits, Mcp, McpBackend, Secret};
use tokenforge_engine::Mode;
use tokenforge_mcp::{
    Body, CAPABILITIES_KEY, CLIENT_KEY, EndpointRequest, Hub, HubSettings, LIST_KEY, MODERN,
    VERSION_KEY, rpc,
};

/// How many pages of a list are read.
const PAGES: usize = 100;

/// A conversation with one tool server.
pub(super) struct ServerConversation {
    server: String,
    way: ConversationPeer,
}

enum ConversationPeer {
    Gateway(GatewayClient, Option<Secret>),
    Own(Arc<Hub>),
}

impl ServerConversation {
    /// With a server of a gateway.
    pub(super) fn through(gateway: GatewayClient, key: Option<Secret>, server: String) -> Self {
        ServerConversation { server, way: ConversationPeer::Gateway(gateway, key) }
    }

    /// With a server that is started or reached from here. Its results are left as they are.
    pub(super) fn own(server: String, mut backend: McpBackend, connect_timeout: Duration) -> Self {
        backend.structured = None;
        let backends = BTreeMap::from([(server.clone(), backend)]);
        let mcp = Mcp { backends, clients: BTreeMap::new(), ..Mcp::default() };
        let engine = tokenforge_engine::Settings {
            mode: Mode::Disabled,
            redact_secrets: false,
            ..tokenforge_engine::Settings::default()
        };
        let settings = HubSettings {
            mcp,
            engine,
            expands: false,
            lists_expand_tool: false,
            must_redact: false,
            has_tenants: false,
        };
        let limits = Limits { connect_timeout, ..Limits::default() };
        let transport = tokenforge_gateway::transport(&limits);
        let hub = Hub::new(settings, None, transport, Arc::new(LocalOriginals::closed()));
        ServerConversation { server, way: ConversationPeer::Own(hub) }
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// The server's tools.
    pub(super) async fn tools(&self) -> anyhow::Result<Vec<Value>> {
        let (mut tools, mut cursor) = (Vec::new(), Value::Null);
        for _ in 0..PAGES {
            let params = match &cursor {
                Value::Null => String::new(),
                cursor => format!("\"cursor\":{cursor},"),
            };
            let answer = self.ask("tools/list", &params, None).await?;
            let mut answer: Value = serde_json::from_str(&answer).context("its list of tools")?;
            if let Value::Array(page) = answer["result"]["tools"].take() {
                tools.extend(page);
            }
            cursor = answer["result"]["nextCursor"].take();
            if cursor.is_null() {
                break;
            }
        }
        Ok(tools)
    }

    /// Calls a tool; the answer as a message.
    pub(super) async fn call(&self, tool: &str, arguments: &str) -> anyhow::Result<String> {
        let params = format!("\"name\":{},\"arguments\":{arguments},", json!(tool));
        self.ask("tools/call", &params, Some(tool)).await
    }

    /// Ends it, and the program with it.
    pub(super) async fn end(&self) {
        if let ConversationPeer::Own(hub) = &self.way {
            hub.stop().await;
        }
    }

    /// Asks in the modern era, which has no sessions; `params` are members with a comma after each.
    async fn ask(&self, method: &str, params: &str, name: Option<&str>) -> anyhow::Result<String> {
        let client: Value = serde_json::from_str(&rpc::own_info()).unwrap_or_default();
        // A gateway may let models search; here the schema of the tool is needed.
        let meta =
            json!({VERSION_KEY: MODERN, CLIENT_KEY: client, CAPABILITIES_KEY: {}, LIST_KEY: "all"});
        let message = rpc::request(1, method, &format!("{{{params}\"_meta\":{meta}}}"));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Without streams, the answer is whole.
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert("x-prefer-format", HeaderValue::from_static("json"));
        headers.insert("mcp-protocol-version", HeaderValue::from_static(MODERN));
        headers.insert("mcp-method", HeaderValue::from_str(method)?);
        if let Some(name) = name {
            let name = HeaderValue::from_str(name).context("a tool whose name is no header")?;
            headers.insert("mcp-name", name);
        }
        let body = match &self.way {
            ConversationPeer::Gateway(gateway, key) => {
                if let Some(key) = key {
                    headers.insert("x-forge-key", secret(key.expose())?);
                }
                let path = format!("/mcp/{}", self.server);
                let GatewayAnswer { body, .. } =
                    gateway.send(Method::POST, &path, headers, message).await?;
                body
            }
            ConversationPeer::Own(hub) => self.ask_hub(hub, headers, message).await?,
        };
        let text = String::from_utf8(body.into()).context("the answer is not UTF-8")?;
        self.refuse_errors(&text)?;
        Ok(text)
    }

    async fn ask_hub(
        &self,
        hub: &Arc<Hub>,
        headers: HeaderMap,
        message: String,
    ) -> anyhow::Result<Bytes> {
        let ask = EndpointRequest {
            method: Method::POST,
            prefix: Some(self.server.clone()),
            headers,
            tenant: crate::engine::TENANT.into(),
            hooks: None,
            body: message.into(),
        };
        match hub.answer(ask).await.into_body() {
            Body::Whole(bytes) => Ok(bytes),
            Body::Stream(_) => bail!("`{}` answers with a stream", self.server),
        }
    }

    /// An answer that is an error, of the server or of the gateway.
    fn refuse_errors(&self, text: &str) -> anyhow::Result<()> {
        // A result may hold what this reader does not take; then it is no error.
        let answer: Value = serde_json::from_str(text).unwrap_or_default();
        if answer["result"]["resultType"] == "input_required" {
            bail!("`{}` asks for input, which this command has no way to give", self.server);
        }
        match &answer["error"] {
            Value::Null => Ok(()),
            error => {
                let message = error["message"].as_str().unwrap_or("an error without a message");
                let message = message.strip_prefix("tokenforge: ").unwrap_or(message);
                let own = format!("tool server `{}`: ", self.server);
                let message = message.strip_prefix(&own).unwrap_or(message);
                bail!("the tool server `{}` cannot be asked: {}", self.server, printable(message))
            }
        }
    }
}
