//! Numbers as people read them: `48,113`.

/// The number with a comma between groups of three digits.
pub(crate) fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::group_digits;

    #[test]
    fn groups_of_three() {
        assert_eq!(
            [0, 12, 999, 1_000, 48_113, 1_234_567].map(group_digits),
            ["0", "12", "999", "1,000", "48,113", "1,234,567"]
        );
    }
}
