//! The limits of the settings, as HTTP needs them: timeouts, and how many connections there may be.

use tokenforge_config::Limits;
use tokenforge_proxy::body::BodyTimeout;
use tokenforge_proxy::server::ServerLimits;
use tokenforge_proxy::upstream::UpstreamLimits;

/// Of connections from clients.
pub(crate) fn server_limits(limits: &Limits) -> ServerLimits {
    ServerLimits {
        max_connections: limits.max_connections,
        header_timeout: limits.header_timeout,
        write_timeout: limits.write_timeout,
        keep_alive_timeout: limits.keep_alive_timeout,
        drain_timeout: limits.drain_timeout,
    }
}

/// Of connections to providers.
pub(crate) fn upstream_limits(limits: &Limits) -> UpstreamLimits {
    UpstreamLimits {
        max_requests: limits.max_connections,
        connect_timeout: limits.connect_timeout,
        idle_connections: limits.upstream_connections,
    }
}

/// Of the body of a request whose head is here now.
pub(crate) fn request_body_timeout(limits: &Limits) -> BodyTimeout {
    BodyTimeout::within(limits.body_idle_timeout, limits.body_timeout)
}
