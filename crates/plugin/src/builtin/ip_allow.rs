//! `ip-allow`: refuses requests from outside the configured networks.

mod network;

use crate::{BoxFuture, Context, Error, Factory, Flow, Phase, Phases, Plugin};
use bytes::Bytes;
use http::{Response, StatusCode, header::CONTENT_TYPE};
use network::Network;
use schemars::JsonSchema;
use serde::Deserialize;

/// The name in settings.
pub(crate) const NAME: &str = "ip-allow";

/// What `ip-allow` can be told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct IpAllowSettings {
    /// Who may come in: addresses and networks, as `10.0.0.0/8`, `192.0.2.7` or `2001:db8::/32`.
    allow: Vec<String>,
}

/// Makes the plugin from its settings.
pub(crate) fn factory() -> impl Factory {
    crate::factory(NAME, |settings: IpAllowSettings| {
        let networks = settings.allow.iter().enumerate().map(|(index, network)| {
            network.parse().map_err(|problem| format!("allow[{index}]: {problem}").into())
        });
        Ok(IpAllow(networks.collect::<Result<_, Error>>()?))
    })
}

struct IpAllow(Vec<Network>);

impl Plugin for IpAllow {
    fn name(&self) -> &str {
        NAME
    }

    fn phases(&self) -> Phases {
        Phase::PreAuth.into()
    }

    fn call<'a>(&'a self, context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            // Whatever a header says about where a request came from, the client wrote it.
            let address = context.remote().ip();
            if self.0.iter().any(|network| network.contains(address)) {
                Ok(Flow::Continue)
            } else {
                Ok(Flow::Terminate(refusal()?))
            }
        })
    }
}

fn refusal() -> Result<Response<Bytes>, Error> {
    let message = "requests from this address are not answered here";
    let body = serde_json::json!({ "type": "error", "error": { "type": "permission_error", "message": message } });
    let response = Response::builder().status(StatusCode::FORBIDDEN);
    Ok(response.header(CONTENT_TYPE, "application/json").body(body.to_string().into())?)
}

#[cfg(test)]
mod tests;
