//! The signing key of SigV4: an HMAC-SHA256 chain (RFC 2104) from the secret key over date, region and service.

use crate::hex::hex;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The signature of a text, in hexadecimal digits.
pub(super) fn signature(secret: &str, scope: [&str; 3], text: &str) -> String {
    let begin = hmac(format!("AWS4{secret}").as_bytes(), scope[0].as_bytes());
    let rest = [scope[1], scope[2], "aws4_request", text];
    hex(&rest.iter().fold(begin, |key, part| hmac(&key, part.as_bytes())))
}

fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut padded = [0; BLOCK];
    match key.len() {
        length @ ..=BLOCK => padded[..length].copy_from_slice(key),
        _ => padded[..32].copy_from_slice(&Sha256::digest(key)),
    }
    let inner = Sha256::new().chain_update(padded.map(|byte| byte ^ 0x36)).chain_update(text);
    let outer = Sha256::new().chain_update(padded.map(|byte| byte ^ 0x5c));
    outer.chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_has_the_values_of_rfc_4231() {
        for (key, text, expected) in [
            (
                &[0x0b; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac(key, text)), expected);
        }
    }
}
