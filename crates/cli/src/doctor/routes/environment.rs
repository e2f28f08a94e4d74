//! Variables of this shell that lead clients to a gateway.

use super::CHECK;
use crate::doctor::finding::Finding;
use crate::gateway::{GatewayClient, url};
use crate::wrap::base_variables;
use http::Uri;
use std::env;
use std::net::IpAddr;
use tokenforge_config::Settings;

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in base_variables() {
        let Some(address) = env::var(name).ok().filter(|address| !address.is_empty()) else {
            continue;
        };
        findings.extend(look(name, &address, settings).await);
    }
    findings
}

/// The finding about an address on this machine. None for any other host, because `doctor` does not probe those.
async fn look(name: &str, address: &str, settings: &Settings) -> Option<Finding> {
    let uri: Uri = address.parse().ok()?;
    let host = uri.host()?.trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if !is_here {
        return None;
    }
    let origin = format!("http://{}", uri.authority()?);
    let version = GatewayClient::new(&origin, None).ok()?.version().await;
    Some(match version {
        Some(_) => Finding::ok(CHECK, format!("{name} points to the gateway at {origin}")),
        None if origin == url(settings.listen) => {
            Finding::broken(CHECK, format!("{name} points to {origin}, where no gateway answers"))
                .remedied_by(format!("start it with `tokenforge serve`, or unset {name}"))
        }
        None => Finding::note(
            CHECK,
            format!("{name} points to {origin}, which is not a Tokenforge gateway"),
        ),
    })
}
