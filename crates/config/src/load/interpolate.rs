//! Variables of the environment inside the values of a file.

use super::Environment;

/// The text with `${VAR}` and `${VAR:-default}` replaced, and `$${` become `${`. A default is used where the variable is
/// not set or empty. What a variable holds is not looked into.
pub(crate) fn interpolate(text: &str, environment: Environment<'_>) -> Result<String, String> {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            whole.push_str(before);
            whole.push_str("${");
            rest = after;
            continue;
        }
        let Some((inside, after)) = after.split_once('}') else {
            return Err("`${` without `}`; `$${` stands for `${` itself".to_owned());
        };
        whole.push_str(before);
        whole.push_str(&value(inside, environment)?);
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

fn value(inside: &str, environment: Environment<'_>) -> Result<String, String> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if !is_name(name) {
        return Err(
            "expected the name of a variable in `${...}`: letters, digits and _, perhaps with \
                    `:-` and a default; `$${` stands for `${` itself"
                .to_owned(),
        );
    }
    match (environment(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (None, None) => {
            Err(format!("the variable {name} is not set; set it, or write `${{{name}:-default}}`"))
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Result<String, String> {
        interpolate(text, &|name| match name {
            "KEY" => Some("sk-1".to_owned()),
            "NESTED" => Some("${KEY}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        })
    }

    #[test]
    fn variables_are_replaced_wherever_they_stand() {
        let cases = [
            ("${KEY}", "sk-1"),
            ("a${KEY}b${KEY}", "ask-1bsk-1"),
            ("${NONE:-x}", "x"),
            ("${NONE:-}", ""),
            ("${EMPTY:-x}", "x"),
            ("${EMPTY}", ""),
            ("${KEY:-x}", "sk-1"),
            ("${NESTED}", "${KEY}"),
            ("$${KEY}", "${KEY}"),
            ("$$${KEY}", "$${KEY}"),
            ("$KEY $ } {", "$KEY $ } {"),
            ("é${KEY}é", "ésk-1é"),
        ];
        for (text, expected) in cases {
            assert_eq!(with(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        assert!(with("${NONE}").unwrap_err().contains("the variable NONE is not set"));
        for text in ["${", "${}", "${KEY", "${A B}", "${1A}", "${:-x}"] {
            assert!(with(text).is_err(), "{text}");
        }
    }
}
