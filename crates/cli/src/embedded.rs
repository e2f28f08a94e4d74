//! A gateway inside this process, for commands that need one for as long as they run.

use crate::listen::listen;
use crate::serve;
use anyhow::Context;
use std::net::SocketAddr;
use std::sync::Arc;
use tokenforge_config::{Secret, Settings};
use tokenforge_gateway::{Gateway, random_token};
use tokenforge_store::Store;
use tokio::task::JoinHandle;

/// A gateway that runs here.
pub(crate) struct EmbeddedGateway {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    gateway: Arc<Gateway>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl EmbeddedGateway {
    /// Starts a gateway where the settings say that it listens; port 0 is any free one.
    pub(crate) async fn start(settings: Settings, store: Arc<dyn Store>) -> anyhow::Result<Self> {
        let address = settings.listen;
        let listener = listen(address, "tokenforge demo").await?;
        let address = listener.local_addr().context("cannot listen")?;
        let gateway = Gateway::new(settings, store)?;
        let serving = tokenforge_gateway::serve(gateway.clone(), listener, std::future::pending());
        Ok(EmbeddedGateway { address, gateway, serving: tokio::spawn(serving) })
    }

    /// Lets the user of this program change things, and sign in to the dashboard.
    pub(crate) fn admit_operator(&self) {
        serve::admit_operator(&self.gateway);
    }

    /// Lets a client of this process use the tools, also where the system does not say which user it belongs to. `None`: the
    /// system gives no random bytes.
    pub(crate) fn admit_client(&self) -> Option<Secret> {
        let token = random_token()?;
        self.gateway.set_client_token(Ok(token.clone()));
        Some(token)
    }

    /// Lets models be told of `tokenforge expand`, if that reads the store of this gateway.
    pub(crate) fn admit_command(&self) {
        serve::admit_command(&self.gateway);
    }

    /// Lets requests be signed again that were signed with the AWS credentials of this user.
    pub(crate) fn admit_aws(&self) {
        serve::admit_aws(&self.gateway);
    }

    /// Path and fragment of a link to the dashboard that signs one browser in.
    pub(crate) fn sign_in_link(&self) -> Option<String> {
        self.gateway.sign_in_link().map(|(path, _)| path)
    }

    /// Ends the gateway at once, because no client is left whose requests it would have to finish.
    pub(crate) async fn end(self) {
        self.gateway.end().await;
        self.serving.abort();
    }
}
