//! Local shell: may the model of this request fetch with `tokenforge expand` what is left out?
//!
//! All of this must hold, and all of it is the same in every request of a conversation, after a restart and behind a second
//! `wrap`: the program that started the agent says so in its address (`/p/PROJECT/shell/AGENT`), the request comes from
//! that agent by its own name, through no proxy, to a gateway that only this machine reaches and that asks for no keys,
//! and what it stores is what the command prints.
//!
//! Anything on this machine can send such a request. It gains nothing by that: the results in its own request are
//! shortened with a line that names a command, which its own client runs or does not, and their originals are put into the
//! store under hashes of themselves, keyed by the installation, where only this user reads them. No other
//! conversation changes, and nothing can be fetched that was not sent. Pages in browsers do not come this far (`guard/`).

use super::RequestScope;
use crate::guard::forwarding_header;
use crate::user_agent::agent_name;
use http::HeaderMap;

impl RequestScope<'_> {
    /// What the agent calls the shell with which its model can fetch.
    pub(super) fn local_shell(&self, headers: &HeaderMap) -> Option<&'static str> {
        let agent = self.shell_of?;
        let settings = &self.state.settings;
        let is_agent = || agent_name(headers).is_some_and(|name| agent.is_called(name.as_str()));
        // What was forwarded from memory is not stored again so soon.
        let is_kept = settings.store.original_ttl > tokenforge_conversation::FRESH;
        let is_here = settings.listen.ip().is_loopback() && settings.keys.is_empty();
        let is_open = is_here
            && is_kept
            && is_agent()
            && forwarding_header(headers).is_none()
            && self.gateway.rewriter.shared.originals.command_tenant().is_some();
        agent.shell.as_deref().filter(|_| is_open)
    }
}
