//! Can originals be kept, and had back?

use super::finding::Finding;
use crate::output::group_digits;
use crate::serve;
use std::sync::Arc;
use tokenforge_config::{Settings, StoreUrl};
use tokenforge_store::{Kind, Store};

const CHECK: &str = "store";

/// Whose entry the check leaves behind; it is overwritten by the next, and goes with its lifetime.
const TENANT: &str = "doctor";

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    let store = settings.store.clone();
    let tried = tokio::task::spawn_blocking(move || {
        let opened = serve::open(&store)?;
        try_store(&opened)
    });
    let place = settings.store.url.to_string();
    let remedy = match &settings.store.url {
        StoreUrl::Redis(_) => {
            "check that the server is up; `store.url` in tokenforge.yaml is its address"
        }
        _ => "check permissions and disk space, or set another `store.url` in tokenforge.yaml",
    };
    vec![match tried.await {
        Ok(Ok(says)) => Finding::ok(CHECK, format!("{place} {says}")),
        Ok(Err(error)) => Finding::broken(CHECK, format!("{place} {error:#}")).remedied_by(remedy),
        Err(_) => Finding::broken(CHECK, format!("{place} cannot be checked")).remedied_by(remedy),
    }]
}

fn try_store(store: &Arc<dyn Store>) -> anyhow::Result<String> {
    let (id, text) = ("check", b"kept".as_slice());
    store.put(Kind::Result, TENANT, id, text)?;
    let found = store.get(Kind::Result, TENANT, id)?;
    anyhow::ensure!(found.as_deref() == Some(text), "does not return what was stored");
    let total = store.stats()?.total();
    let (entries, bytes) =
        (group_digits(total.entries as usize), group_digits(total.bytes as usize));
    Ok(format!("works; {entries} entries, {bytes} bytes"))
}
