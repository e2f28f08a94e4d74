//! One request to a provider, over pooled connections.

use super::connect::{connector, tls};
use super::pool::Pool;
use super::proxy::Proxies;
use super::received::Received;
use crate::http::body::{Body, TooSlow};
use http::{Request, Response, StatusCode};
use rustls::ClientConfig;
use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thread_local::ThreadLocal;
use tokenforge_config::Limits;
use tokio::sync::Semaphore;

/// Sends requests to providers.
pub(crate) struct Client {
    /// One for each thread: what happens on a connection is told to the thread that opened it.
    pools: ThreadLocal<Pool>,
    /// For hosts that a client named.
    guarded: ThreadLocal<Pool>,
    /// Made at the first request: reading the machine's authorities takes longer than starting.
    tls: OnceLock<ClientConfig>,
    proxies: Arc<Proxies>,
    /// A pool has no bound of its own.
    permits: Arc<Semaphore>,
    connect_timeout: Duration,
    idle_connections: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Nobody is there.
    #[error("the upstream cannot be reached: {0}")]
    Unreachable(String),
    /// Somebody is there, and no whole answer came.
    #[error("the upstream was reached, but {what}: {cause}")]
    Broken {
        /// What happened.
        what: &'static str,
        /// What the system said of it.
        cause: String,
    },
    /// It speaks another protocol from now on.
    #[error("the upstream switched protocols (101), which nobody asked it to")]
    Switched,
    /// It did not begin to answer in time.
    #[error("the upstream did not answer within {} seconds", .0.as_secs())]
    Silent(Duration),
    /// The client took too long to send the body.
    #[error("the body took too long to arrive")]
    Trickled,
    /// The client sent half a body, or none that can be understood.
    #[error("the body did not arrive whole")]
    Half,
}

impl Client {
    pub(crate) fn new(limits: &Limits) -> Self {
        Client {
            pools: ThreadLocal::new(),
            guarded: ThreadLocal::new(),
            tls: OnceLock::new(),
            proxies: Arc::new(Proxies::from_env()),
            permits: Arc::new(Semaphore::new(limits.max_connections)),
            connect_timeout: limits.connect_timeout,
            idle_connections: limits.upstream_connections,
        }
    }

    /// Makes what the first request would wait for.
    pub(crate) fn warm_up(&self) {
        self.tls();
    }

    fn tls(&self) -> ClientConfig {
        self.tls.get_or_init(tls).clone()
    }

    /// Sends a request and waits for the head of its answer. It is taken where it is: each function on its way would have
    /// room for a copy, and make one.
    pub(crate) async fn send(
        &self,
        request: &mut Request<Body>,
        is_guarded: bool,
        first_byte: Duration,
    ) -> Result<Response<Received>, Failure> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|_| Failure::Unreachable("shutting down".to_owned()))?;
        let sent = tokio::time::timeout(first_byte, self.pool(is_guarded).send(request)).await;
        let sent = sent.map_err(|_| Failure::Silent(first_byte))?;
        let (answer, lease) = sent.map_err(|error| failure(&*error))?;
        if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
            return Err(Failure::Switched);
        }
        Ok(answer.map(|body| Received::over(lease, Some(permit), body)))
    }

    fn pool(&self, is_guarded: bool) -> &Pool {
        let pool = if is_guarded { &self.guarded } else { &self.pools };
        // Through a proxy, nobody would know where a name leads.
        let proxies = || if is_guarded { Arc::new(Proxies::none()) } else { self.proxies.clone() };
        pool.get_or(|| {
            let connector = connector(self.tls(), self.connect_timeout, is_guarded, proxies());
            Pool::new(connector, self.idle_connections)
        })
    }
}

impl Failure {
    /// The answer began, and did not come to its end.
    pub(crate) fn broken_off(cause: &(dyn Error + 'static)) -> Self {
        let mut cause = cause;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        Failure::Broken { what: "its answer broke off", cause: cause.to_string() }
    }
}

/// The outer errors say only that something failed.
fn failure(error: &(dyn Error + 'static)) -> Failure {
    let is_clients = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_user)
    };
    let (mut cause, mut is_body) = (error, is_clients(error));
    while let Some(inner) = cause.source() {
        cause = inner;
        is_body |= is_clients(cause);
    }
    match is_body {
        true if cause.is::<TooSlow>() => Failure::Trickled,
        true => Failure::Half,
        // What fails before there is a connection is no error of hyper's.
        false => match error.downcast_ref::<hyper::Error>() {
            Some(error) => Failure::Broken {
                what: match error.is_parse() {
                    true => "its answer is not HTTP",
                    false => "it closed the connection before it answered",
                },
                cause: cause.to_string(),
            },
            None => Failure::Unreachable(cause.to_string()),
        },
    }
}
