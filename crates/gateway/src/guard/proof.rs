//! Proof that a gateway belongs to this user: it knows the token in the data folder, and does not reveal it.
//!
//! Any program can listen on the port and say that it is a gateway, and an agent would give it the user's login. So `wrap`
//! and the shims draw a [`Challenge`] before they send an agent there, and the gateway answers with [`Proofs`], which only a
//! process that can read the token can make. The port is in them, because a program at another port could otherwise pass
//! the challenge on to the gateway and its answer back.
//!
//! It is always the token that was drawn, never `admin_token` of the settings: proofs are for everybody who asks, and from
//! one of them a password that a person chose could be guessed at leisure.

use super::random_name;
use crate::hex::hex;
use blake3::Hash;
use http::header::HeaderMap;
use tokenforge_config::{Secret, Settings, Upstreams};

/// The header with the challenge.
const CHALLENGE: &str = "x-forge-challenge";

/// The headers with the proofs: that it is the user's gateway, and that it asks these upstreams.
const PROOF: &str = "x-forge-proof";
const UPSTREAMS_PROOF: &str = "x-forge-upstreams-proof";

/// What the key is for, so that it is no other's.
const CONTEXT: &str = "tokenforge 2026-11-18 a gateway proves whose it is";

/// Something new that only who knows the token can answer.
#[derive(Debug)]
pub struct Challenge(String);

/// What a gateway answers.
#[derive(Debug)]
pub struct Proofs {
    gateway: Hash,
    upstreams: Hash,
}

impl Challenge {
    /// The header that it is sent in.
    pub const HEADER: &str = CHALLENGE;

    /// How many hexadecimal digits it has.
    pub const DIGITS: usize = 32;

    /// A new one. `None`: the operating system has no random numbers to give.
    #[must_use]
    pub fn draw() -> Option<Self> {
        random_name().map(Challenge)
    }

    /// The one that a text is.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_one =
            text.len() == Self::DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Challenge(text.to_owned()))
    }

    /// The one that a request has.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers.get(CHALLENGE)?.to_str().ok()?)
    }

    /// As it is sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a gateway at this port, with this token and these settings, answers.
    #[must_use]
    pub fn proofs(&self, token: &Secret, port: u16, settings: &Settings) -> Proofs {
        let key = blake3::derive_key(CONTEXT, token.expose().as_bytes());
        let proof = |of: &str, what: &str| {
            blake3::keyed_hash(&key, format!("{of}\n{}\n{port}\n{what}", self.0).as_bytes())
        };
        Proofs {
            gateway: proof("gateway", ""),
            upstreams: proof("upstreams", &addresses(&settings.upstreams)),
        }
    }
}

impl Proofs {
    /// The headers that they are shown in.
    pub(crate) fn headers(&self) -> [(&'static str, String); 2] {
        [(PROOF, &self.gateway), (UPSTREAMS_PROOF, &self.upstreams)]
            .map(|(name, proof)| (name, hex(proof.as_bytes())))
    }

    /// Does an answer with these headers come from this gateway?
    pub fn are_shown(&self, header: impl Fn(&str) -> Option<String>) -> bool {
        is_shown(&self.gateway, header(PROOF))
    }

    /// Does it also send requests to the same upstreams?
    pub fn has_upstreams(&self, header: impl Fn(&str) -> Option<String>) -> bool {
        is_shown(&self.upstreams, header(UPSTREAMS_PROOF))
    }
}

/// Hashes are compared in constant time.
fn is_shown(proof: &Hash, shown: Option<String>) -> bool {
    shown.and_then(|shown| Hash::from_hex(shown).ok()).is_some_and(|shown| shown == *proof)
}

/// Where requests go, in one spelling.
fn addresses(upstreams: &Upstreams) -> String {
    let Upstreams {
        anthropic,
        openai,
        gemini,
        bedrock,
        ollama,
        azure_openai,
        vertex,
        backend,
        target_allow,
        aws_signing: _,
    } = upstreams;
    let always = [anthropic, openai, gemini, bedrock, ollama].map(ToString::to_string);
    let perhaps = [azure_openai, vertex, backend]
        .map(|uri| uri.as_ref().map(ToString::to_string).unwrap_or_default());
    [&always[..], &perhaps, target_allow].concat().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn shown(proofs: &Proofs) -> impl Fn(&str) -> Option<String> {
        let headers = proofs.headers();
        move |name| Some(headers.iter().find(|(of, _)| *of == name)?.1.clone())
    }

    #[test]
    fn only_who_has_the_token_at_the_same_port_answers_the_same_challenge() {
        let (challenge, other) = (Challenge::draw().unwrap(), Challenge::draw().unwrap());
        let (token, settings) = (Secret::new("of the user"), Settings::default());
        let expected = challenge.proofs(&token, 8787, &settings);
        assert!(expected.are_shown(shown(&challenge.proofs(&token, 8787, &settings))));
        for wrong in [
            challenge.proofs(&Secret::new("of another"), 8787, &settings),
            challenge.proofs(&token, 8788, &settings),
            other.proofs(&token, 8787, &settings),
        ] {
            assert!(!expected.are_shown(shown(&wrong)) && !expected.has_upstreams(shown(&wrong)));
        }
        assert!(!expected.are_shown(|_| None) && !expected.are_shown(|_| Some("no hash".into())));
    }

    #[test]
    fn other_upstreams_have_another_proof() {
        let (challenge, token) = (Challenge::draw().unwrap(), Secret::new("of the user"));
        let of = |settings: &Settings| challenge.proofs(&token, 1, settings);
        let expected = of(&Settings::default());
        assert!(expected.has_upstreams(shown(&of(&Settings::default()))));
        let mut elsewhere = Settings::default();
        elsewhere.upstreams.backend = Some("https://llm.example.com".parse().unwrap());
        let elsewhere = of(&elsewhere);
        assert!(
            expected.are_shown(shown(&elsewhere)) && !expected.has_upstreams(shown(&elsewhere))
        );
    }

    #[test]
    fn a_challenge_is_short_and_hexadecimal() {
        let of = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CHALLENGE, HeaderValue::from_str(text).unwrap());
            Challenge::read(&headers).is_some()
        };
        assert!(of(Challenge::draw().unwrap().as_str()));
        for wrong in ["", "00", &"0".repeat(Challenge::DIGITS + 1), &"g".repeat(Challenge::DIGITS)]
        {
            assert!(!of(wrong), "{wrong}");
        }
    }
}
