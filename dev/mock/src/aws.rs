//! AWS signatures (SigV4), made and checked as AWS does, by another implementation than the gateway's.
//!
//! The time of a signature is not checked: tests have clocks of their own.

use crate::answer::Answer;
use crate::client::Ask;
use crate::record::Recorded;
use hmac::{Hmac, Mac};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An access key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsKey {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
    /// The token that goes with it, if it is temporary.
    pub token: Option<String>,
}

impl AwsKey {
    /// A key that lasts.
    #[must_use]
    pub fn new(id: &str, secret: &str) -> Self {
        AwsKey { id: id.to_owned(), secret: secret.to_owned(), token: None }
    }

    /// The same with a token.
    #[must_use]
    pub fn temporary(self, token: &str) -> Self {
        AwsKey { token: Some(token.to_owned()), ..self }
    }

    /// Signs a request for Bedrock, at a time such as `20261119T035220Z`.
    #[must_use]
    pub fn signed(&self, ask: Ask, stamp: &str, region: &str) -> Ask {
        self.signed_for("bedrock", ask, stamp, region)
    }

    /// Signs a request for another service.
    #[must_use]
    pub fn signed_for(&self, service: &str, ask: Ask, stamp: &str, region: &str) -> Ask {
        let ask = ask.header("x-amz-date", stamp);
        let ask = match &self.token {
            Some(token) => ask.header("x-amz-security-token", token),
            None => ask,
        };
        let (method, target, headers, body) = ask.parts();
        let mut signed: BTreeMap<String, String> = headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        signed.entry("host".to_owned()).or_insert_with(|| "localhost".to_owned());
        signed.remove("connection");
        let scope = format!("{}/{region}/{service}/aws4_request", &stamp[..8]);
        let names = signed.keys().cloned().collect::<Vec<_>>().join(";");
        let canonical = canonical(method, target, &signed, &hex(&Sha256::digest(body)));
        let signature = self.signature(stamp, &scope, &canonical);
        let credential = format!("{}/{scope}", self.id);
        let value = format!(
            "AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}"
        );
        ask.header("authorization", &value)
    }

    fn signature(&self, stamp: &str, scope: &str, canonical: &str) -> String {
        let request = hex(&Sha256::digest(canonical.as_bytes()));
        let mut key = format!("AWS4{}", self.secret).into_bytes();
        for part in scope.split('/') {
            key = mac(&key, part);
        }
        hex(&mac(&key, &format!("AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{request}")))
    }

    /// The reason why AWS would refuse a request, and what it answers.
    pub(crate) fn check(&self, request: &Recorded) -> Result<(), (String, Answer)> {
        let authorization = request.header("authorization");
        // API keys are no signatures.
        if authorization.starts_with("Bearer ") {
            return Ok(());
        }
        self.verify(request, authorization).map_err(|(kind, message)| {
            let mut answer = Answer::json(403, &json!({ "message": message }));
            answer.headers.push(("x-amzn-errortype".to_owned(), kind.to_owned()));
            (format!("{kind}: {message}"), answer)
        })
    }

    fn verify(
        &self,
        request: &Recorded,
        authorization: &str,
    ) -> Result<(), (&'static str, &'static str)> {
        let missing = ("MissingAuthenticationTokenException", "Missing Authentication Token");
        let incomplete = (
            "IncompleteSignatureException",
            "Authorization header requires Credential, SignedHeaders, Signature, and a date in X-Amz-Date.",
        );
        let wrong = (
            "InvalidSignatureException",
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access \
             Key and signing method. Consult the service documentation for details.",
        );
        let stated = authorization.strip_prefix("AWS4-HMAC-SHA256 ").ok_or(missing)?;
        let stated: BTreeMap<&str, &str> =
            stated.split(',').filter_map(|part| part.trim().split_once('=')).collect();
        let part = |name: &str| stated.get(name).copied().ok_or(incomplete);
        let (credential, names) = (part("Credential")?, part("SignedHeaders")?);
        let (id, scope) = credential.split_once('/').ok_or(incomplete)?;
        let stamp = request.header("x-amz-date");
        let token = self.token.as_deref().unwrap_or_default();
        if id != self.id || request.header("x-amz-security-token") != token {
            return Err((
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            ));
        }
        let is_bedrock = scope.ends_with("/bedrock/aws4_request") && scope.split('/').count() == 4;
        if stamp.is_empty() || !scope.starts_with(stamp.get(..8).ok_or(incomplete)?) || !is_bedrock
        {
            return Err((
                wrong.0,
                "Credential should be scoped to correct service, and its date to X-Amz-Date.",
            ));
        }
        let signed: Vec<&str> = names.split(';').collect();
        let is_asked_for = |name: &str| name.starts_with("x-amz-");
        let mut must =
            request.headers.keys().map(http::HeaderName::as_str).filter(|name| is_asked_for(name));
        if must.any(|name| !signed.contains(&name))
            || !signed.is_sorted()
            || !(signed.contains(&"host") || signed.contains(&":authority"))
        {
            return Err((
                wrong.0,
                "'Host' and every 'X-Amz-' header must be a 'SignedHeader' in the AWS Authorization.",
            ));
        }
        // Over HTTP/2 the host stands in the target, and the JavaScript SDK signs it by that name.
        let target = request.target.split("://").nth(1).unwrap_or_default();
        let host = match request.header("host") {
            "" => target.split('/').next().unwrap_or_default(),
            host => host,
        };
        let mut headers = BTreeMap::new();
        for name in &signed {
            let values: Vec<String> = request
                .headers
                .get_all(*name)
                .iter()
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
                .collect();
            let value = match *name {
                "host" | ":authority" => host.to_owned(),
                _ => values.join(","),
            };
            headers.insert((*name).to_owned(), value);
        }
        let hash = hex(&Sha256::digest(&request.body));
        let stated_hash = request.header("x-amz-content-sha256");
        let canonical =
            canonical(request.method.as_str(), &request.path_and_query, &headers, &hash);
        let is_same = self.signature(stamp, scope, &canonical) == part("Signature")?;
        let is_hash = stated_hash.is_empty() || stated_hash == hash;
        if is_same && is_hash { Ok(()) } else { Err(wrong) }
    }
}

fn canonical(method: &str, target: &str, headers: &BTreeMap<String, String>, hash: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut pairs: Vec<(&str, &str)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut text = format!("{method}\n{}\n{}\n", encoded(path), pairs.join("&"));
    for (name, value) in headers {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{name}:{value}");
    }
    let names: Vec<&str> = headers.keys().map(String::as_str).collect();
    text + "\n" + &names.join(";") + "\n" + hash
}

/// A path as it is on the wire, encoded a second time. Paths in tests have no dots and no empty segments.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        let _ = match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                write!(text, "{}", char::from(byte))
            }
            byte => write!(text, "%{byte:02X}"),
        };
    }
    text
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_of_awss_own_suite() {
        let key = AwsKey::new("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        let ask = Ask::new("GET", "/?Param1=value2&Param1=value1")
            .header("host", "example.amazonaws.com");
        let signed = key.signed_for("service", ask, "20150830T123600Z", "us-east-1");
        let bytes = String::from_utf8(signed.bytes()).unwrap();
        assert!(
            bytes.contains("5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
            "{bytes}"
        );
    }
}
