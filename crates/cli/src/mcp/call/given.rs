//! The arguments of a tool as they are typed: one JSON object, or `key=value`.

use anyhow::{Context, bail};
use serde_json::Value;

/// The arguments as JSON. A value is JSON if it can be read as such, unless the tool's schema says that it is a text.
pub(super) fn arguments(words: &[String], schema: &Value) -> anyhow::Result<String> {
    if let [only] = words
        && only.trim_start().starts_with('{')
    {
        serde_json::from_str::<serde::de::IgnoredAny>(only)
            .context("the arguments are not JSON")?;
        return Ok(only.trim().to_owned());
    }
    let members: Vec<String> =
        words.iter().map(|word| member(word, schema)).collect::<anyhow::Result<_>>()?;
    Ok(format!("{{{}}}", members.join(",")))
}

fn member(word: &str, schema: &Value) -> anyhow::Result<String> {
    let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        bail!("expected one JSON object or key=value, found `{word}`");
    };
    let is_text = schema["properties"][key]["type"] == "string";
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok();
    let value =
        if !is_text && is_json() { value.to_owned() } else { Value::from(value).to_string() };
    Ok(format!("{}:{value}", Value::from(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(words: &[&str]) -> anyhow::Result<String> {
        let schema = json!({"properties": {"id": {"type": "string"}, "n": {"type": "integer"}}});
        arguments(&words.iter().map(ToString::to_string).collect::<Vec<_>>(), &schema)
    }

    #[test]
    fn values_are_what_the_tool_expects() {
        assert_eq!(of(&[]).unwrap(), "{}");
        assert_eq!(of(&[r#" {"n": 1.50} "#]).unwrap(), r#"{"n": 1.50}"#);
        let typed = of(&["id=5", "n=5", "x=a=b", "list=[1, 2]", "big=1e400", "empty="]).unwrap();
        assert_eq!(typed, r#"{"id":"5","n":5,"x":"a=b","list":[1, 2],"big":1e400,"empty":""}"#);
    }

    #[test]
    fn what_is_no_argument_is_said() {
        for wrong in [&["{"][..], &["path"], &["=1"], &["a=1", "{}"]] {
            assert!(of(wrong).is_err(), "{wrong:?}");
        }
    }
}
