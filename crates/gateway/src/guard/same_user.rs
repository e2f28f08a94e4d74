//! Proof of the same user: without gateway keys, tools and credentials of the operator are for the operator's own programs.
//!
//! Every user of this machine, and every stranger behind a proxy on it, reaches a gateway on loopback. So a request that uses
//! what belongs to the operator must come over a connection whose other end is a process of the operator or of root, as the
//! kernel says, or carry a token that only the operator can read. On a system that does not say, tools and routes are refused.
//! Requests to models are served then, because agents on such systems cannot be given the token. Linux does say: where its
//! kernel names no owner, as for a client that has left, the request is refused like one of another user.

use super::origin::RequestOrigin;
use super::{ClientToken, GuardPolicy, forwarding_header};
use crate::answer::Problem;
use crate::paths;
use http::StatusCode;
use tokenforge_plugin::Exchange;

/// The user who may do everything on this machine anyway.
const ROOT: u32 = 0;

/// The user by whom Linux stands for users that it cannot name here, because they are of another user namespace.
const UNNAMED: u32 = 65534;

/// What a request must show that uses what belongs to the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperatorNeed {
    /// For tools and routes: that it is the operator's.
    Proof,
    /// For models, where the gateway adds a credential: that nothing shows another sender.
    NoStranger,
}

/// Why it is not shown that a request is the operator's.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stranger {
    /// A proxy sent it, which says so in this header.
    Forwarded(String),
    OtherMachine,
    OtherUser,
    /// This system names the owners of connections, and of this one it names none.
    NoOwner,
    /// This system does not say.
    UnknownUser,
}

/// What is known of the sender of a request.
struct Sender<'s, U> {
    has_token: bool,
    forwarding_header: Option<&'s str>,
    is_on_loopback: bool,
    /// The user of the connection's other end, which is looked up only if it matters.
    user: U,
}

impl<U: FnOnce() -> Option<u32>> Sender<'_, U> {
    /// Is it the operator, whose user id is `own`?
    fn check(self, own: Option<u32>) -> Result<(), Stranger> {
        if self.has_token {
            return Ok(());
        }
        if let Some(header) = self.forwarding_header {
            return Err(Stranger::Forwarded(header.to_owned()));
        }
        if !self.is_on_loopback {
            return Err(Stranger::OtherMachine);
        }
        match ((self.user)(), own) {
            (_, None) | (Some(UNNAMED), Some(UNNAMED)) => Err(Stranger::UnknownUser),
            (None, Some(_)) => Err(unnamed_owner()),
            (Some(ROOT), _) => Ok(()),
            (Some(user), Some(own)) if user == own => Ok(()),
            _ => Err(Stranger::OtherUser),
        }
    }
}

impl GuardPolicy<'_> {
    /// May a request use what belongs to the operator, without a gateway key?
    pub(super) fn check_same_user(
        &self,
        exchange: &Exchange,
        caller: &RequestOrigin<'_>,
        needs: OperatorNeed,
    ) -> Result<(), Problem> {
        let headers = &exchange.request().headers;
        let sender = Sender {
            has_token: self.client_token.is_shown(headers)
                || self.admin.shows_token(headers, self.settings)
                || (caller.is_own_page() && self.admin.is_signed_in(headers, self.settings)),
            forwarding_header: forwarding_header(headers),
            is_on_loopback: self.client.remote().ip().to_canonical().is_loopback(),
            user: || self.client.user(),
        };
        match (sender.check(own_user()), needs) {
            (Ok(()), _) | (Err(Stranger::UnknownUser), OperatorNeed::NoStranger) => Ok(()),
            (Err(stranger), _) => Err(refusal(&stranger, self.client_token)),
        }
    }

    /// What a request must show because of what it uses; `None`: it uses nothing that belongs to the operator.
    pub(crate) fn operator_need(&self, path: &str) -> Option<OperatorNeed> {
        if paths::is_tools(path) || self.is_for_route {
            return Some(OperatorNeed::Proof);
        }
        self.adds_credentials.then_some(OperatorNeed::NoStranger)
    }
}

/// Who sends over a connection whose other end the system gave no user for.
fn unnamed_owner() -> Stranger {
    if cfg!(target_os = "linux") { Stranger::NoOwner } else { Stranger::UnknownUser }
}

#[cfg(unix)]
fn own_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn own_user() -> Option<u32> {
    None
}

fn refusal(stranger: &Stranger, token: &ClientToken) -> Problem {
    let why = match stranger {
        Stranger::Forwarded(header) => {
            format!("the request came through a proxy ({header}), so its sender is unknown")
        }
        Stranger::OtherMachine => "the request came from another machine".to_owned(),
        Stranger::OtherUser => "the request came from another user of this machine".to_owned(),
        Stranger::NoOwner => {
            "the kernel names no user who has the other end of its connection".to_owned()
        }
        Stranger::UnknownUser => "this system does not say which user sent the request".to_owned(),
    };
    let token = match token.missing() {
        None => "send the text of the file `client_token` in its data folder as X-Forge-Token"
            .to_owned(),
        Some(reason) => format!("there is no client token to show, because {reason}"),
    };
    let message = format!(
        "without `keys`, tools and credentials of the gateway are for the user who runs it, and {why}: {token}, or set `keys` \
         in tokenforge.yaml"
    );
    Problem::new(StatusCode::FORBIDDEN, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 1000;

    fn sender(user: Option<u32>) -> Sender<'static, impl FnOnce() -> Option<u32>> {
        Sender {
            has_token: false,
            forwarding_header: None,
            is_on_loopback: true,
            user: move || user,
        }
    }

    #[test]
    fn g63_only_the_own_user_and_root_pass_without_a_token() {
        for (user, expected) in [
            (Some(OWN), Ok(())),
            (Some(ROOT), Ok(())),
            (Some(1001), Err(Stranger::OtherUser)),
            (Some(UNNAMED), Err(Stranger::OtherUser)),
            (None, Err(unnamed_owner())),
        ] {
            assert_eq!(sender(user).check(Some(OWN)), expected, "{user:?}");
        }
        assert_eq!(sender(Some(UNNAMED)).check(Some(UNNAMED)), Err(Stranger::UnknownUser));
        assert_eq!(sender(Some(OWN)).check(None), Err(Stranger::UnknownUser));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn g63_on_linux_a_connection_without_an_owner_is_a_strangers() {
        assert_eq!(sender(None).check(Some(OWN)), Err(Stranger::NoOwner));
    }

    #[test]
    fn g63_a_proxy_or_another_machine_needs_the_token_for_any_user() {
        let forwarded = |has_token| Sender {
            has_token,
            forwarding_header: Some("x-forwarded-for"),
            ..sender(Some(OWN))
        };
        let expected = Err(Stranger::Forwarded("x-forwarded-for".to_owned()));
        assert_eq!(forwarded(false).check(Some(OWN)), expected);
        assert_eq!(forwarded(true).check(Some(OWN)), Ok(()));
        let elsewhere =
            |has_token| Sender { has_token, is_on_loopback: false, ..sender(Some(OWN)) };
        assert_eq!(elsewhere(false).check(Some(OWN)), Err(Stranger::OtherMachine));
        assert_eq!(elsewhere(true).check(Some(OWN)), Ok(()));
        let unknown = Sender { has_token: true, ..sender(None) };
        assert_eq!(unknown.check(None), Ok(()), "where the system does not say who asks");
    }
}
