//! Does the gateway run, and if not, could it?

use super::finding::Finding;
use crate::gateway::{GatewayClient, url};
use tokenforge_config::Settings;
use tokio::net::{TcpListener, TcpStream};

const CHECK: &str = "gateway";

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    let address = settings.listen;
    let url = url(address);
    let Ok(gateway) = GatewayClient::new(&url, None) else { return Vec::new() };
    let own = env!("CARGO_PKG_VERSION");
    let found = match gateway.version().await {
        Some(version) if version == own => Finding::ok(CHECK, format!("running at {url}")),
        Some(version) => {
            Finding::note(CHECK, format!("version {version} is running at {url}; this is {own}"))
                .remedied_by("restart it: `wrap` does not use a gateway of another version")
        }
        None if is_taken(&url).await => {
            Finding::broken(CHECK, format!("another program answers at {url}")).remedied_by(
                "choose another port: `tokenforge serve --port PORT`, `listen` in tokenforge.yaml, or FORGE_LISTEN",
            )
        }
        None => match TcpListener::bind(address).await {
            Ok(_) => Finding::ok(
                CHECK,
                format!(
                    "not running; {address} is free (`tokenforge serve` starts it; `wrap` starts its own)"
                ),
            ),
            Err(error) => {
                Finding::broken(CHECK, format!("cannot listen on {address}: {error}"))
                    .remedied_by(
                        "choose another address: `listen` in tokenforge.yaml, or FORGE_LISTEN",
                    )
            }
        },
    };
    vec![found]
}

async fn is_taken(url: &str) -> bool {
    let host = url.trim_start_matches("http://");
    TcpStream::connect(host).await.is_ok()
}
