//! Signatures against those that botocore makes (`tests/aws/vectors.py`), among them AWS's published ones.

use super::canonical::canonical_head;
use super::claim::SignatureClaim;
use super::credentials::AwsCredentials;
use super::signer::{RequestSigner, payload_hash};
use super::timestamp::Timestamp;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST, HeaderName, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Request, Uri};
use serde_json::Value;
use std::time::Duration;
use tokenforge_config::Secret;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::upstream::host_header;

fn vectors() -> Value {
    // Read and not included: a published crate has no tests folder.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/aws/vectors.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

struct Vector {
    name: String,
    /// As it came, signed by botocore.
    head: Parts,
    body: Bytes,
    uri: Uri,
    key: AwsCredentials,
}

fn read(vectors: &Value) -> Vec<Vector> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let key = |token: &Value| AwsCredentials {
        key_id: text(&vectors["key_id"]),
        secret: Secret::new(text(&vectors["secret"])),
        session_token: token.as_str().map(Secret::new),
    };
    let vector = |given: &Value| {
        let uri: Uri = text(&given["url"]).parse().unwrap();
        let mut request = Request::new(());
        *request.method_mut() = text(&given["method"]).parse().unwrap();
        // As a server hears it: the path, and the host in a header.
        *request.uri_mut() = uri.path_and_query().unwrap().as_str().parse().unwrap();
        for (name, value) in given["headers"].as_object().unwrap() {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.as_str().unwrap().parse().unwrap());
        }
        request.headers_mut().insert(HOST, host_header(&uri).unwrap());
        Vector {
            name: text(&given["name"]),
            head: request.into_parts().0,
            body: text(&given["body"]).into(),
            key: key(&given["token"]),
            uri,
        }
    };
    vectors["vectors"].as_array().unwrap().iter().map(vector).collect()
}

#[tokio::test]
async fn what_botocore_signed_is_recognised_and_signed_again_to_the_same_bytes() {
    let vectors = vectors();
    let all = read(&vectors);
    assert!(all.len() >= 13);
    for Vector { name, head, body, uri, key } in all {
        let claim = SignatureClaim::read(&head).unwrap_or_else(|| panic!("{name}: no claim"));
        let hash = payload_hash(&body).await;
        assert!(claim.is_made_with(&key, &hash), "{name}");
        let mut request = Request::from_parts(head.clone(), Body::from(body));
        *request.uri_mut() = uri;
        request.headers_mut().remove(HOST);
        let signer = RequestSigner::in_place_of(&claim, key, request.headers_mut());
        assert!(!request.headers().contains_key(AUTHORIZATION));
        signer.sign_at(&mut request, &hash, Duration::ZERO).unwrap();
        for header in
            ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"]
        {
            assert_eq!(request.headers().get(header), head.headers.get(header), "{name}: {header}");
        }
        assert!(request.headers()[AUTHORIZATION].is_sensitive());
    }
}

/// Changes one thing of a signed request.
type Change = fn(&mut Vector);

#[tokio::test]
async fn a_signature_over_anything_else_or_by_another_key_is_not_recognised() {
    let changes: [(&str, Change); 9] = [
        ("the body", |vector| vector.body = "{ }".into()),
        ("the path", |vector| vector.head.uri = "/model/other/converse".parse().unwrap()),
        ("the query", |vector| vector.head.uri = "/model/m/converse-stream?a".parse().unwrap()),
        ("the method", |vector| vector.head.method = http::Method::PUT),
        ("the host", |vector| set(vector, "host", "evil.example")),
        ("a signed header", |vector| set(vector, "content-type", "text/plain")),
        ("the time", |vector| set(vector, "x-amz-date", "20261119T035221Z")),
        ("the token", |vector| set(vector, "x-amz-security-token", "other")),
        ("the secret", |vector| vector.key.secret = Secret::new("other")),
    ];
    for (what, change) in changes {
        let mut vector = read(&vectors())
            .into_iter()
            .find(|vector| vector.name == "temporary credentials")
            .unwrap();
        change(&mut vector);
        let claim = SignatureClaim::read(&vector.head).unwrap();
        let hash = payload_hash(&vector.body).await;
        assert!(!claim.is_made_with(&vector.key, &hash), "{what}");
    }
}

fn set(vector: &mut Vector, name: &'static str, value: &'static str) {
    vector.head.headers.insert(name, HeaderValue::from_static(value));
}

#[tokio::test]
async fn the_host_may_be_signed_by_the_name_that_it_has_in_http2() {
    let Vector { mut head, key, .. } = read(&vectors()).remove(0);
    let host = head.headers.remove(HOST).unwrap();
    let path = head.uri.path().to_owned();
    head.uri = format!("http://{}{path}", host.to_str().unwrap()).parse().unwrap();
    let stamp = head.headers["x-amz-date"].to_str().unwrap().to_owned();
    let signed = [":authority", "x-amz-date"].map(str::to_owned);
    let authority = host.to_str().unwrap();
    let canonical =
        canonical_head(&head.method, &head.uri, authority, &head.headers, &signed).unwrap();
    assert!(canonical.contains(&format!(
        "\n:authority:{authority}\nx-amz-date:{stamp}\n\n:authority;x-amz-date"
    )));
    let hash = payload_hash(&Bytes::new()).await;
    let time = Timestamp::parse(&stamp).unwrap();
    let signature = key.sign(time, "us-east-1", "bedrock", &canonical, &hash);
    let stated = format!(
        "AWS4-HMAC-SHA256 Credential={}/20261119/us-east-1/bedrock/aws4_request, \
         SignedHeaders=:authority;x-amz-date, Signature={signature}",
        key.key_id
    );
    head.headers.insert(AUTHORIZATION, stated.parse().unwrap());
    assert!(SignatureClaim::read(&head).unwrap().is_made_with(&key, &hash));
}

#[test]
fn a_signature_that_no_sdk_makes_for_bedrock_is_no_claim() {
    let read_with = |name: &'static str, value: &str| {
        let mut vector = read(&vectors()).remove(0);
        vector.head.headers.insert(name, HeaderValue::from_str(value).unwrap());
        SignatureClaim::read(&vector.head).is_some()
    };
    let good = "AWS4-HMAC-SHA256 Credential=A/20261119/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=0";
    assert!(read_with("authorization", good));
    for (part, wrong) in [
        ("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
        ("host;", ""),
        (";x-amz-date", ""),
        ("20261119", "20261118"),
        ("us-east-1", "us-east-1.evil.example"),
        ("us-east-1", "US"),
        ("aws4_request", "aws4"),
        ("Signature=", "Sig="),
        ("Credential=", "Cred="),
        ("host;", "host;a b;"),
        ("host;", "host;not-there;"),
    ] {
        assert!(!read_with("authorization", &good.replace(part, wrong)), "{part} -> {wrong}");
    }
    assert!(read_with("connection", "keep-alive"));
    for taken_away in ["Content-Type", "keep-alive, content-type", "X-AMZ-Date"] {
        assert!(!read_with("connection", taken_away), "{taken_away}");
    }
    assert!(!read_with("x-amz-date", "yesterday"));
    assert!(!read_with("authorization", "Bearer bedrock-api-key"));
}

#[tokio::test]
async fn a_request_that_is_asked_again_has_the_clients_time_moved_on_and_the_new_body() {
    let vector =
        read(&vectors()).into_iter().find(|vector| vector.name == "the hash as a header").unwrap();
    let claim = SignatureClaim::read(&vector.head).unwrap();
    let signer = RequestSigner::in_place_of(&claim, vector.key.clone(), &mut HeaderMap::new());
    let mut request =
        Request::from_parts(vector.head.clone(), Body::from(Bytes::from_static(b"[]")));
    *request.uri_mut() = vector.uri;
    let hash = payload_hash(&Bytes::from_static(b"[]")).await;
    signer.sign_at(&mut request, &hash, Duration::from_secs(100)).unwrap();
    let (mut head, _) = request.into_parts();
    assert_eq!(head.headers["x-amz-date"], "20261119T035400Z");
    assert_eq!(head.headers["x-amz-content-sha256"], hash.as_str());
    head.headers.insert(HOST, vector.head.headers[HOST].clone());
    assert!(SignatureClaim::read(&head).unwrap().is_made_with(&vector.key, &hash));
}

#[test]
fn l10_no_secret_and_no_token_is_printed() {
    let key = AwsCredentials {
        key_id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
        secret: Secret::new("wJalrXUtnFEMI"),
        session_token: Some(Secret::new("IQoJb3JpZ2lu")),
    };
    assert_eq!(format!("{key:?}"), r#"AwsCredentials("AKIA…MPLE")"#);
}
