//! JSON as people read it.

/// Indentation multiplies what is deep.
const LONGEST: usize = 4 << 20;

/// Minified JSON with a line for each value and two blanks a level; every value as it is written. `None`: too long.
pub(super) fn pretty(minified: &str) -> Option<String> {
    let mut pretty = String::with_capacity(minified.len() * 2);
    let mut depth = 0;
    let mut rest = minified;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => string_end(rest),
            '{' | '[' if rest[1..].starts_with(['}', ']']) => 2,
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find([',', '}', ']']).unwrap_or(rest.len()),
        };
        let (token, behind) = rest.split_at_checked(end)?;
        match token {
            "{" | "[" => {
                depth += 1;
                pretty += token;
                line(&mut pretty, depth);
            }
            "}" | "]" => {
                depth = usize::checked_sub(depth, 1)?;
                line(&mut pretty, depth);
                pretty += token;
            }
            "," => {
                pretty += token;
                line(&mut pretty, depth);
            }
            ":" => pretty += ": ",
            _ => pretty += token,
        }
        if pretty.len() > LONGEST {
            return None;
        }
        rest = behind;
    }
    Some(pretty)
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

/// Where a string ends that begins the text.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return at + 1,
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json, to_string_pretty};

    #[test]
    fn it_is_what_others_make_of_it() {
        for value in [
            json!({"a": [1, {"b": "x\"y,{}[]:\\"}, [], {}], "ä": null}),
            json!([[[true]], "", -1.5e9]),
            json!("text: {a}"),
            json!(7),
        ] {
            assert_eq!(pretty(&value.to_string()).unwrap(), to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn numbers_keep_their_spelling_and_depth_has_an_end() {
        assert_eq!(pretty(r#"{"a":1.50}"#).unwrap(), "{\n  \"a\": 1.50\n}");
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let wide = format!("[{}0]", format!("{deep},").repeat(100));
        assert_eq!(pretty(&wide), None);
        assert!(serde_json::from_str::<Value>(&pretty("[1,2]").unwrap()).is_ok());
    }
}
