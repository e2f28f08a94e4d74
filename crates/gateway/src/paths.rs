//! The paths of the gateway's own endpoints, and how sensitive each is: the guard decides by these.

pub(crate) const HEALTH: &str = "/_forge/healthz";
pub(crate) const READY: &str = "/_forge/readyz";
pub(crate) const METRICS: &str = "/_forge/metrics";
pub(crate) const DASHBOARD: &str = "/_forge/ui/";
pub(crate) const STATS: &str = "/_forge/api/stats";
pub(crate) const EVENTS: &str = "/_forge/api/events";
pub(crate) const SETTINGS: &str = "/_forge/api/settings";
pub(crate) const CONFIG: &str = "/_forge/api/config";
pub(crate) const CONTENTS: &str = "/_forge/api/contents";
pub(crate) const PLAYGROUND: &str = "/_forge/api/playground";
pub(crate) const GAIN: &str = "/_forge/api/gain";
pub(crate) const HISTORY: &str = "/_forge/api/history";
pub(crate) const SESSIONS: &str = "/_forge/api/sessions";
pub(crate) const FETCHES: &str = "/_forge/api/fetches";
pub(crate) const EXPAND: &str = "/_forge/api/expand";
pub(crate) const MCP_ADMIN: &str = "/_forge/api/mcp";

/// Where a sign-in link is asked for.
pub(crate) const SIGN_IN_LINK: &str = "/_forge/api/link";

/// Where the code of a link becomes a cookie.
pub(crate) const SIGN_IN_SESSION: &str = "/_forge/api/session";

pub(crate) const COMPRESS: &str = "/v1/compress";
pub(crate) const RETRIEVE: &str = "/v1/retrieve/";
pub(crate) const ALL_TOOLS: &str = "/mcp";
pub(crate) const SERVER_TOOLS: &str = "/mcp/";

/// Is this path ours, and not a matter of whose request it is?
pub(crate) fn is_operators(path: &str) -> bool {
    path.starts_with("/_forge/") && path != EXPAND
}

/// Is this path ours, and answered for the tenant who asks?
pub(crate) fn is_tenants(path: &str) -> bool {
    path == EXPAND || path == COMPRESS || path.starts_with(RETRIEVE) || is_tools(path)
}

/// Tools of all servers, or of one.
pub(crate) fn is_tools(path: &str) -> bool {
    path == ALL_TOOLS || path.starts_with(SERVER_TOOLS)
}

/// The dashboard's files.
pub(crate) fn is_page(path: &str) -> bool {
    is_at_or_below(path, DASHBOARD.trim_end_matches('/'))
}

/// Texts of tool results.
pub(crate) fn is_contents(path: &str) -> bool {
    is_at_or_below(path, CONTENTS)
}

/// What the ledger says.
pub(crate) fn is_ledger(path: &str) -> bool {
    matches!(path, GAIN | HISTORY | SESSIONS | FETCHES) || ledger_session(path).is_some()
}

/// The session whose turns are asked for.
pub(crate) fn ledger_session(path: &str) -> Option<&str> {
    path.strip_prefix(SESSIONS)?.strip_prefix('/').filter(|id| !id.is_empty() && !id.contains('/'))
}

/// Tool servers, for the operator.
pub(crate) fn is_mcp_admin(path: &str) -> bool {
    is_at_or_below(path, MCP_ADMIN)
}

/// Is there nothing in it that anybody could want?
pub(crate) fn is_public(path: &str) -> bool {
    matches!(path, HEALTH | READY) || is_page(path)
}

/// Is reading this path harmless: figures, and settings without secrets? No text, and nothing that is started by it.
pub(crate) fn is_figure(path: &str) -> bool {
    matches!(path, METRICS | STATS | EVENTS | SETTINGS | CONFIG | CONTENTS)
        || is_ledger(path)
        || is_mcp_figure(path)
}

/// To list the tools of a server starts it.
fn is_mcp_figure(path: &str) -> bool {
    let rest = path.strip_prefix(MCP_ADMIN).filter(|_| is_mcp_admin(path));
    rest.is_some_and(|rest| rest.split('/').filter(|part| !part.is_empty()).count() < 2)
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
