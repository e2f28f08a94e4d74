//! What can be set.

use super::*;
use serde_json::json;
use tokenforge_redact::replace_found;

#[test]
fn s9_what_replaces_each_kind_is_a_setting() {
    let config = json!({"kinds": ["email", "card"], "replacements": {"email": "<someone>"}});
    let filter = PiiFilter::new(serde_json::from_value(config).unwrap()).unwrap();
    let body = b"bob@example.com 4111111111111111 10.0.0.1";
    assert_eq!(replace_found(&*filter.finder, body).unwrap(), b"<someone> [CARD] 10.0.0.1");
    for with in ["\"", "a\\b", "a\nb"] {
        let settings = PiiFilterSettings {
            replacements: [(Kind::Email, with.to_owned())].into(),
            ..PiiFilterSettings::default()
        };
        let error = PiiFilter::new(settings).err().unwrap().to_string();
        assert!(error.starts_with("replacements.email: "), "{error}");
    }
}
