use crate::builtin::testing::{chain, from, refused};
use crate::{Outcome, Phase};
use serde_json::json;

async fn is_let_in(allow: &[&str], remote: &str) -> bool {
    let chain = chain("ip-allow", json!({"allow": allow}));
    match chain.run(Phase::PreAuth, &mut from(remote.parse().unwrap(), "")).await {
        Outcome::Continue => true,
        Outcome::Terminate(response) => {
            assert_eq!(response.status(), 403);
            false
        }
    }
}

#[tokio::test]
async fn who_comes_from_elsewhere_gets_a_403() {
    let allow = ["10.0.0.0/8", "2001:db8::/32"];
    for (remote, expected) in [
        ("10.1.2.3:5", true),
        ("[::ffff:10.1.2.3]:5", true),
        ("[2001:db8::9]:5", true),
        ("11.1.2.3:5", false),
        ("[::1]:5", false),
    ] {
        assert_eq!(is_let_in(&allow, remote).await, expected, "{remote}");
    }
    assert!(!is_let_in(&[], "127.0.0.1:5").await);
}

#[test]
fn a_list_that_cannot_be_read_is_refused() {
    assert!(refused("ip-allow", json!({})).contains("missing field `allow`"));
    let error = refused("ip-allow", json!({"allow": ["10.0.0.0/8", "10.0.0.0/40"]}));
    assert!(error.contains("allow[1]: after the slash"), "{error}");
}
