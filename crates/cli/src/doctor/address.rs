//! Does the gateway run, and if not, could it?

use super::finding::Finding;
use crate::gateway::{Gateway, url};
use tokenforge_config::Settings;
use tokio::net::{TcpListener, TcpStream};

const CHECK: &str = "gateway";

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    let address = settings.listen;
    let url = url(address);
    let Ok(gateway) = Gateway::new(&url, None) else { return Vec::new() };
    let own = env!("CARGO_PKG_VERSION");
    let found = match gateway.version().await {
        Some(version) if version == own => Finding::ok(CHECK, format!("it runs at {url}")),
        Some(version) => {
            Finding::note(CHECK, format!("version {version} runs at {url}, this is {own}"))
                .remedied_by("start it again: `wrap` does not use a gateway of another version")
        }
        None if is_taken(&url).await => {
            Finding::broken(CHECK, format!("something else answers at {url}")).remedied_by(
                "let the gateway listen elsewhere: `listen` in tokenforge.yaml, or FORGE_LISTEN",
            )
        }
        None => match TcpListener::bind(address).await {
            Ok(_) => Finding::ok(
                CHECK,
                format!(
                    "none runs; {address} is free (`tokenforge serve` starts one, `wrap` has its own)"
                ),
            ),
            Err(error) => {
                Finding::broken(CHECK, format!("it could not listen on {address}: {error}"))
                    .remedied_by(
                        "let it listen elsewhere: `listen` in tokenforge.yaml, or FORGE_LISTEN",
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
