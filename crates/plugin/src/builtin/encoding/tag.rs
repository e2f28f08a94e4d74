//! Entity tags of answers that were written in another form: `"x"` becomes `"x;stc"`, and back.
//!
//! The tag stays strong where it was: the same JSON always becomes the same text. So a client can use it in `If-Match`,
//! and the upstream is asked about a tag that it gave out.

use tokenforge_formats::Form;
use tokenforge_formats::stc2::Level;

/// The forms of an answer that a plugin for this form may have written: one tag never names two texts. The levels of STC 2
/// that are sent differ by how they are asked for, which is no matter of tags: `Vary` names it.
pub(crate) fn forms(form: Form) -> Vec<Form> {
    match form {
        Form::Stc => vec![Form::Stc, Form::Stc2(Level::default()), Form::Json],
        form => vec![form, Form::Json],
    }
}

/// The tag of the same answer in this form, if it is a tag.
pub(crate) fn with(tag: &str, form: &str) -> Option<String> {
    let start = tag.strip_suffix('"').filter(|start| start.contains('"'))?;
    Some(format!("{start};{form}\""))
}

/// A list of tags, in which those of this form are the upstream's again. Nothing if there are none.
pub(crate) fn without(tags: &str, form: &str) -> Option<String> {
    let end = format!(";{form}\"");
    // A quote ends a tag: inside there is none.
    tags.contains(&end).then(|| tags.replace(&end, "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_the_upstreams_again() {
        for tag in ["\"x\"", "W/\"x\"", "\"\"", "\"a,b;c\""] {
            let ours = with(tag, "stc").unwrap();
            assert_ne!(ours, tag);
            assert_eq!(without(&ours, "stc").as_deref(), Some(tag));
            assert_eq!(without(&ours, "toon"), None);
        }
        assert_eq!(with("W/\"x\"", "toon").as_deref(), Some("W/\"x;toon\""));
        for rubbish in ["", "x", "\""] {
            assert_eq!(with(rubbish, "stc"), None, "{rubbish}");
        }
    }

    #[test]
    fn in_a_list_only_those_of_the_form_change() {
        let list = "\"a;stc\", W/\"b\", \"c;toon\", *";
        assert_eq!(without(list, "stc").as_deref(), Some("\"a\", W/\"b\", \"c;toon\", *"));
    }
}
