//! A gateway with one more plugin than others have.
//!
//! `my-gateway tokenforge.yaml` does what `tokenforge serve --config tokenforge.yaml` does, and knows `model-guard` too.

mod model_guard;

use std::error::Error;
use std::sync::Arc;
use tokenforge_config::{ConfigFile, Overrides, Settings};
use tokenforge_gateway::Gateway;
use tokenforge_plugin::Registry;
use tokenforge_store::MemoryStore;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: my-gateway tokenforge.yaml")?;
    let text = std::fs::read_to_string(&file)?;
    let file = ConfigFile { name: &file, text: &text };
    let settings =
        Settings::load(Some(file), &|name| std::env::var(name).ok(), &Overrides::default())?;

    let mut plugins = Registry::default();
    plugins.register(model_guard::factory())?;

    let listener = TcpListener::bind(settings.listen).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let gateway = Gateway::with_plugins(settings, Arc::new(MemoryStore::default()), plugins)?;
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    tokenforge_gateway::serve(gateway, listener, stop).await?;
    Ok(())
}
