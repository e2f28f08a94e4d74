//! Values that repeat what the row above has in the same place.

/// Is a value written as the sign for the one above? A single character is as short as the sign. A value is never written
/// in part: it is what a reader searches for.
pub(super) fn is_ditto(value: &str, above: &str) -> bool {
    value == above && value.len() > 1
}

#[cfg(test)]
mod tests {
    use super::is_ditto;

    #[test]
    fn only_a_whole_value_is_repeated() {
        assert!(is_ditto("10", "10") && is_ditto("16:32:01", "16:32:01"));
        assert!(!is_ditto("0", "0"));
        assert!(!is_ditto("16:32:01,617", "16:32:01,616"));
    }
}
