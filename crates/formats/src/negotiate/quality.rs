//! Quality values, `q=0.5`: how much something is liked, as HTTP writes it.

/// A quality in thousandths: 0 is never, 1000 is most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QualityValue(u16);

impl QualityValue {
    pub(crate) const NEVER: Self = Self(0);
    pub(crate) const MOST: Self = Self(1000);

    /// Reads `0`, `0.5`, `1` or `1.000`; nothing of what the grammar does not know (RFC 9110, 12.4.2).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let thousandths = format!("{fraction:0<3}").parse().ok()?;
        match whole {
            "0" => Some(Self(thousandths)),
            "1" if thousandths == 0 => Some(Self::MOST),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h3_a_quality_is_read_as_the_grammar_has_it() {
        for (text, thousandths) in [
            ("0", 0),
            ("0.", 0),
            ("0.000", 0),
            ("0.5", 500),
            ("0.001", 1),
            ("1", 1000),
            ("1.00", 1000),
        ] {
            assert_eq!(QualityValue::parse(text), Some(QualityValue(thousandths)), "{text}");
        }
        for text in
            ["", ".5", "2", "1.001", "0.0001", "-0", "+1", "0,5", "0.5 ", "00", "0.x", "1e0", "٠"]
        {
            assert_eq!(QualityValue::parse(text), None, "{text}");
        }
    }
}
