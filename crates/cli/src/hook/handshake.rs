//! Handshake of a hook and a gateway: each draws a challenge, and each proves with the user's key that it belongs to the
//! same user, before the gateway is sent a tool result and before its answer becomes a tool output.
//!
//! A socket or port alone proves nothing: after a gateway was killed, another user can listen in its place. The place is
//! part of the proof, because a listener elsewhere could otherwise pass the challenge on to the real gateway and its proof
//! back. Both challenges are, because otherwise a recorded proof would count again.

use super::hook_socket::Place;
use crate::data;
use tokenforge_gateway::Challenge;

/// Purpose of the key, so that its proofs are no other's.
const CONTEXT: &str = "tokenforge 2026-11-19 a hook and a gateway prove whose they are";

/// Length of a challenge in the lines of the handshake.
const CHALLENGE: usize = Challenge::DIGITS;

/// The key that both ends know: derived from the key of references, which only the owner of the data folder can read.
#[derive(Clone)]
pub(super) struct HookKey([u8; 32]);

/// One connection's challenges, and what both ends know.
pub(super) struct Handshake {
    key: HookKey,
    place: Place,
    of_hook: Challenge,
    of_gateway: Challenge,
}

impl HookKey {
    pub(super) fn load() -> anyhow::Result<Self> {
        Ok(Self::new(&data::reference_key()?))
    }

    pub(super) fn new(reference_key: &[u8; 32]) -> Self {
        HookKey(blake3::derive_key(CONTEXT, reference_key))
    }
}

impl Handshake {
    /// The gateway's side: answers the line of a hook. `None`: it is no challenge.
    pub(super) fn accept(key: &HookKey, place: &Place, line: &str) -> Option<Self> {
        let (of_hook, of_gateway) = (Challenge::parse(line)?, Challenge::draw()?);
        Some(Handshake { key: key.clone(), place: place.clone(), of_hook, of_gateway })
    }

    /// The hook's side: verifies the line with which a gateway answered. `None`: it is not the user's gateway.
    pub(super) fn verify(
        key: &HookKey,
        place: &Place,
        of_hook: Challenge,
        line: &str,
    ) -> Option<Self> {
        let (of_gateway, proof) = line.split_at_checked(CHALLENGE)?;
        let of_gateway = Challenge::parse(of_gateway)?;
        let shaken = Handshake { key: key.clone(), place: place.clone(), of_hook, of_gateway };
        is_proof(proof, shaken.proof("gateway")).then_some(shaken)
    }

    /// The gateway's line: its challenge and its proof.
    pub(super) fn gateway_line(&self) -> String {
        format!("{}{}\n", self.of_gateway.as_str(), self.proof("gateway"))
    }

    /// The hook's line: its proof.
    pub(super) fn hook_line(&self) -> String {
        format!("{}\n", self.proof("hook"))
    }

    /// Whether this is the hook's line without its end.
    pub(super) fn is_hook_line(&self, line: &str) -> bool {
        is_proof(line, self.proof("hook"))
    }

    fn proof(&self, side: &str) -> blake3::Hash {
        let Handshake { key, place, of_hook, of_gateway } = self;
        let (of_hook, of_gateway) = (of_hook.as_str(), of_gateway.as_str());
        let text = format!("{side}\n{of_hook}\n{of_gateway}\n{place}");
        blake3::keyed_hash(&key.0, text.as_bytes())
    }
}

/// Hashes are compared in constant time.
fn is_proof(shown: &str, expected: blake3::Hash) -> bool {
    blake3::Hash::from_hex(shown).is_ok_and(|shown| shown == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERS: Place = Place::Port(2);

    fn drawn() -> Challenge {
        Challenge::draw().unwrap()
    }

    #[test]
    fn n1_only_the_same_key_place_and_challenges_prove_anything() {
        let (key, place) = (HookKey::new(&[1; 32]), Place::Port(1));
        let ask = || Challenge::parse("0123456789abcdef0123456789abcdef").unwrap();
        let gateway = Handshake::accept(&key, &place, ask().as_str()).unwrap();
        let line = gateway.gateway_line();
        let line = line.trim_end();
        let hook = Handshake::verify(&key, &place, ask(), line).unwrap();
        assert!(gateway.is_hook_line(hook.hook_line().trim_end()));
        // Another key, a gateway elsewhere, an earlier question.
        assert!(Handshake::verify(&HookKey::new(&[2; 32]), &place, ask(), line).is_none());
        assert!(Handshake::verify(&key, &OTHERS, ask(), line).is_none());
        assert!(Handshake::verify(&key, &place, drawn(), line).is_none());
        // The gateway's own proof sent back, a proof of another connection, no proof.
        let again = Handshake::accept(&key, &place, ask().as_str()).unwrap();
        assert!(!gateway.is_hook_line(&line[CHALLENGE..]));
        assert!(!again.is_hook_line(hook.hook_line().trim_end()));
        for wrong in ["", "0", &"é".repeat(48), &line[..95], &"0".repeat(96)] {
            assert!(Handshake::verify(&key, &place, ask(), wrong).is_none(), "{wrong}");
            assert!(!gateway.is_hook_line(wrong), "{wrong}");
            assert!(Handshake::accept(&key, &place, wrong).is_none(), "{wrong}");
        }
    }
}
