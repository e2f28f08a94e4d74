//! The owner of a TCP socket of this machine, by its two addresses: one exact question to the kernel (`sock_diag`), which
//! takes the same time however many sockets there are. `/proc/net/tcp` has the same, as a list of all of them.

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use std::net::{IpAddr, SocketAddr};

/// `SOCK_DIAG_BY_FAMILY`: the type of the question, and of its answer.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`.
const REQUEST: u16 = 1;
/// `TCP_TIME_WAIT` and `TCP_LISTEN`: the states of sockets that are no end of a connection any more, or not yet.
const NOT_CONNECTED: [u8; 2] = [6, 10];
/// `IPPROTO_TCP`.
const TCP: u8 = 6;
/// `AF_INET` and `AF_INET6`.
const FAMILIES: [u8; 2] = [2, 10];
/// `INET_DIAG_NOCOOKIE`: whichever socket it is.
const NO_COOKIE: [u8; 8] = [0xff; 8];

/// `struct nlmsghdr`, `struct inet_diag_req_v2` and `struct inet_diag_msg`, in bytes.
const HEADER: usize = 16;
const QUESTION: usize = 56;
const ANSWER: usize = 72;

/// The user who has the socket that is at `own` and is connected to `other`; `None`: there is none, or the kernel does not say.
pub(crate) fn owner(own: SocketAddr, other: SocketAddr) -> Option<u32> {
    let kernel = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    );
    let kernel = kernel.ok()?;
    send(&kernel, &question(own, other)?, SendFlags::empty()).ok()?;
    let mut answer = [0; 512];
    // The kernel answers while it takes the question, so there is nothing to wait for.
    let (length, _) = recv(&kernel, &mut answer[..], RecvFlags::DONTWAIT).ok()?;
    user_in(answer.get(..length)?)
}

fn question(own: SocketAddr, other: SocketAddr) -> Option<[u8; HEADER + QUESTION]> {
    // A socket of IPv6 that is connected over IPv4 is found by its addresses of IPv4.
    let (own_ip, other_ip) = (own.ip().to_canonical(), other.ip().to_canonical());
    if own_ip.is_ipv4() != other_ip.is_ipv4() {
        return None;
    }
    let family = FAMILIES[usize::from(own_ip.is_ipv6())];
    let mut text = Vec::with_capacity(HEADER + QUESTION);
    text.extend_from_slice(&((HEADER + QUESTION) as u32).to_ne_bytes());
    text.extend_from_slice(&BY_FAMILY.to_ne_bytes());
    text.extend_from_slice(&REQUEST.to_ne_bytes());
    // A sequence number and the port of the sender, of which neither is needed.
    text.extend_from_slice(&[0; 8]);
    text.extend_from_slice(&[family, TCP, 0, 0]);
    // In any state: of the answer, some states are not taken.
    text.extend_from_slice(&u32::MAX.to_ne_bytes());
    text.extend_from_slice(&own.port().to_be_bytes());
    text.extend_from_slice(&other.port().to_be_bytes());
    text.extend_from_slice(&address(own_ip));
    text.extend_from_slice(&address(other_ip));
    // On any interface.
    text.extend_from_slice(&[0; 4]);
    text.extend_from_slice(&NO_COOKIE);
    text.try_into().ok()
}

fn address(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V6(ip) => ip.octets(),
        IpAddr::V4(ip) => {
            let mut padded = [0; 16];
            padded[..4].copy_from_slice(&ip.octets());
            padded
        }
    }
}

/// The user in an answer. The kernel says 0, which is root, for a socket that no process has any more, so only one that has an
/// inode counts. It need not be open for both directions: a client may have sent all that it has to send, and wait for the answer.
fn user_in(answer: &[u8]) -> Option<u32> {
    let number = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let state = *answer.get(HEADER + 1)?;
    let (user, inode) = (number(HEADER + ANSWER - 8)?, number(HEADER + ANSWER - 4)?);
    (kind == BY_FAMILY && !NOT_CONNECTED.contains(&state) && inode != 0).then_some(user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::geteuid;
    use std::net::{Shutdown, TcpListener, TcpStream};

    fn connected(listen: &str, call: &str) -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind(listen).unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = TcpStream::connect(format!("{call}:{port}")).unwrap();
        (client, listener.accept().unwrap().0)
    }

    #[test]
    fn g63_the_kernel_names_the_owner_of_the_other_end() {
        let own = Some(geteuid().as_raw());
        for (listen, call) in
            [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "[::1]"), ("[::]:0", "127.0.0.1")]
        {
            let (client, accepted) = connected(listen, call);
            let (remote, local) = (accepted.peer_addr().unwrap(), accepted.local_addr().unwrap());
            assert_eq!(owner(remote, local), own, "{listen}");
            drop(client);
            assert_eq!(owner(remote, local), None, "{listen}: no process has it any more");
        }
        let [nothing, here] = ["127.0.0.1:1", "127.0.0.1:2"].map(|text| text.parse().unwrap());
        assert_eq!(owner(nothing, here), None);
        assert_eq!(owner("[::1]:1".parse().unwrap(), here), None);
    }

    #[test]
    fn g63_the_kernel_names_the_owner_of_a_half_closed_end() {
        let own = Some(geteuid().as_raw());
        let (client, accepted) = connected("127.0.0.1:0", "127.0.0.1");
        let (remote, local) = (accepted.peer_addr().unwrap(), accepted.local_addr().unwrap());
        client.shutdown(Shutdown::Write).unwrap();
        assert_eq!(owner(remote, local), own, "the client waits for an answer");
        drop(client);
        assert_eq!(owner(remote, local), None, "no process has it any more");
    }

    #[test]
    fn g63_an_answer_without_a_process_names_no_user() {
        let mut answer = [0; HEADER + ANSWER];
        answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        answer[HEADER + 1] = 1; // ESTABLISHED
        answer[HEADER + ANSWER - 8] = 7;
        assert_eq!(user_in(&answer), None, "it has no inode");
        answer[HEADER + ANSWER - 4] = 1;
        assert!(user_in(&answer).is_some());
        assert_eq!(user_in(&answer[..HEADER + ANSWER - 1]), None);
        for half_closed in [4, 5, 8] {
            answer[HEADER + 1] = half_closed;
            assert!(user_in(&answer).is_some(), "{half_closed}");
        }
        for state in NOT_CONNECTED {
            answer[HEADER + 1] = state;
            assert_eq!(user_in(&answer), None, "{state}");
        }
    }
}
