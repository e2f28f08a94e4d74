//! The HTTP client: one request to an upstream, over the connection pool of its thread.

use super::connect::{connector, tls};
use super::environment_proxy::EnvironmentProxies;
use super::pool::{ConnectionPool, Resend};
use super::received::ReceivedBody;
use crate::body::{Body, TooSlow};
use http::{Request, Response, StatusCode};
use rustls::ClientConfig;
use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thread_local::ThreadLocal;
use tokio::sync::Semaphore;

/// What an upstream client may have open, and wait for.
#[derive(Debug, Clone, Copy)]
pub struct UpstreamLimits {
    /// Requests at the same time; more wait.
    pub max_requests: usize,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// Idle connections that each thread keeps to one upstream.
    pub idle_connections: usize,
}

/// Sends requests to upstreams.
pub struct UpstreamClient {
    /// One for each thread: what happens on a connection is told to the thread that opened it.
    pools: ThreadLocal<ConnectionPool>,
    /// For hosts that a client named.
    guarded: ThreadLocal<ConnectionPool>,
    /// Made at the first request: reading the machine's authorities takes longer than starting.
    tls: OnceLock<ClientConfig>,
    proxies: Arc<EnvironmentProxies>,
    /// A pool has no bound of its own.
    permits: Arc<Semaphore>,
    connect_timeout: Duration,
    idle_connections: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamFailure {
    /// No connection could be made.
    #[error("the upstream cannot be reached: {0}")]
    Unreachable(String),
    /// A connection was made, and no whole answer came.
    #[error("the upstream was reached, but {what}: {cause}")]
    Broken {
        /// What happened.
        what: &'static str,
        /// What the system said of it.
        cause: String,
    },
    /// It speaks another protocol from now on.
    #[error("the upstream switched protocols (101), which no request asked for")]
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

impl UpstreamClient {
    /// A client that goes through the proxies that the environment names.
    #[must_use]
    pub fn new(limits: UpstreamLimits) -> Self {
        UpstreamClient {
            pools: ThreadLocal::new(),
            guarded: ThreadLocal::new(),
            tls: OnceLock::new(),
            proxies: Arc::new(EnvironmentProxies::from_env()),
            permits: Arc::new(Semaphore::new(limits.max_requests)),
            connect_timeout: limits.connect_timeout,
            idle_connections: limits.idle_connections,
        }
    }

    /// Makes what the first request would wait for.
    pub fn warm_up(&self) {
        self.tls();
    }

    fn tls(&self) -> ClientConfig {
        self.tls.get_or_init(tls).clone()
    }

    /// Sends a request and waits for the head of its answer. It is sent once more only if it changes nothing:
    /// [`Resend::IfSafe`].
    pub fn send(
        &self,
        request: &mut Request<Body>,
        is_guarded: bool,
        first_byte: Duration,
    ) -> impl Future<Output = Result<Response<ReceivedBody>, UpstreamFailure>> {
        self.send_as(request, Resend::IfSafe, is_guarded, first_byte)
    }

    /// Sends a request and waits for the head of its answer. It is taken where it is: each function on its way would have
    /// room for a copy, and make one.
    pub async fn send_as(
        &self,
        request: &mut Request<Body>,
        resend: Resend,
        is_guarded: bool,
        first_byte: Duration,
    ) -> Result<Response<ReceivedBody>, UpstreamFailure> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit =
            permit.map_err(|_| UpstreamFailure::Unreachable("shutting down".to_owned()))?;
        let sending = self.pool(is_guarded).send(request, resend);
        let sent = tokio::time::timeout(first_byte, sending).await;
        let sent = sent.map_err(|_| UpstreamFailure::Silent(first_byte))?;
        let (answer, lease) = sent.map_err(|error| failure(&*error))?;
        if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
            return Err(UpstreamFailure::Switched);
        }
        Ok(answer.map(|body| ReceivedBody::over(lease, Some(permit), body)))
    }

    fn pool(&self, is_guarded: bool) -> &ConnectionPool {
        let pool = if is_guarded { &self.guarded } else { &self.pools };
        // A proxy would resolve the name itself, so the address could not be checked.
        let proxies =
            || if is_guarded { Arc::new(EnvironmentProxies::none()) } else { self.proxies.clone() };
        pool.get_or(|| {
            let connector = connector(self.tls(), self.connect_timeout, is_guarded, proxies());
            ConnectionPool::new(connector, self.idle_connections)
        })
    }
}

impl UpstreamFailure {
    /// The answer began, and did not come to its end.
    pub fn broken_off(cause: &(dyn Error + 'static)) -> Self {
        let mut cause = cause;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        UpstreamFailure::Broken { what: "its answer broke off", cause: cause.to_string() }
    }
}

/// The outer errors say only that something failed.
fn failure(error: &(dyn Error + 'static)) -> UpstreamFailure {
    let is_clients = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_user)
    };
    let (mut cause, mut is_body) = (error, is_clients(error));
    while let Some(inner) = cause.source() {
        cause = inner;
        is_body |= is_clients(cause);
    }
    if is_body {
        return if cause.is::<TooSlow>() {
            UpstreamFailure::Trickled
        } else {
            UpstreamFailure::Half
        };
    }
    // What fails before there is a connection is no error of hyper's.
    match error.downcast_ref::<hyper::Error>() {
        Some(error) => UpstreamFailure::Broken {
            what: if error.is_parse() {
                "its answer is not HTTP"
            } else {
                "it closed the connection before it answered"
            },
            cause: cause.to_string(),
        },
        None => UpstreamFailure::Unreachable(cause.to_string()),
    }
}
