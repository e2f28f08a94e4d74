//! Numbers in canonical decimal form, computed on digits: exact at any size and precision.

use tokenforge_json::output::TextOutput;

/// Is the number canonical as it stands? May say no where it is, never yes where it is not.
#[inline]
pub(crate) fn is_canonical(number: &str, is_integer: bool) -> bool {
    let bytes = number.as_bytes();
    let has_exponent = || bytes.iter().any(|byte| byte | 0x20 == b'e');
    bytes.len() <= 21
        && !number.starts_with("-0")
        && (is_integer
            || !(number.ends_with('0') || number.starts_with("0.00000") || has_exponent()))
}

/// Writes a JSON number without exponent, leading or trailing zeros and negative zero; with an exponent
/// (`1e+21`, `1e-7`) outside `1e-6 <= |n| < 1e21`.
///
/// No digit is ever lost. An exponent beyond 18 digits is left as it was written.
pub(crate) fn write_canonical(number: &str, out: &mut TextOutput) {
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", number),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((mantissa, exponent)) => match exponent.parse::<i64>() {
            Ok(value) if value.unsigned_abs() < 1_000_000_000_000_000_000 => (mantissa, value),
            _ => return out.push_str(number),
        },
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    // The value is 0.DIGITS times ten to the power of `point`.
    let (digits, point) = if whole.is_empty() {
        let digits = fraction.trim_start_matches('0');
        (digits.to_owned(), exponent - (fraction.len() - digits.len()) as i64)
    } else {
        ([whole, fraction].concat(), exponent + whole.len() as i64)
    };
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return out.push(b'0');
    }
    out.push_str(sign);
    let length = digits.len() as i64;
    match point {
        -5..=0 => {
            out.push_str("0.");
            push_zeros(-point, out);
            out.push_str(digits);
        }
        1..=21 if point >= length => {
            out.push_str(digits);
            push_zeros(point - length, out);
        }
        1..=21 => {
            let (whole, fraction) = digits.split_at(point as usize);
            out.push_str(whole);
            out.push(b'.');
            out.push_str(fraction);
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            out.push_str(first);
            if !rest.is_empty() {
                out.push(b'.');
                out.push_str(rest);
            }
            out.push_str(if point > 0 { "e+" } else { "e" });
            out.push_str(&(point - 1).to_string());
        }
    }
}

fn push_zeros(count: i64, out: &mut TextOutput) {
    (0..count).for_each(|_| out.push(b'0'));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(number: &str) -> String {
        let mut out = TextOutput::with_capacity(0);
        write_canonical(number, &mut out);
        out.into_string()
    }

    #[test]
    fn e2_a_canonical_number_has_the_same_value_and_is_canonical_itself() {
        for whole in ["0", "7", "10", "1234500", "98765432109876543210"] {
            for fraction in ["", ".0", ".5", ".000", ".00012300", ".9999999999999999999"] {
                for exponent in ["", "e0", "E+3", "e-3", "e21", "e-21", "E300", "e-300"] {
                    for sign in ["", "-"] {
                        let number = [sign, whole, fraction, exponent].concat();
                        let text = canonical(&number);
                        let value = |text: &str| text.parse::<f64>().unwrap();
                        assert_eq!(value(&text), value(&number), "{number} became {text}");
                        assert_eq!(canonical(&text), text, "{number}");
                    }
                }
            }
        }
    }

    #[test]
    fn e2_numbers_are_canonical_decimals_and_lose_no_digit() {
        for (number, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e9", "0"),
            ("1.0", "1"),
            ("1.50", "1.5"),
            ("-1.10", "-1.1"),
            ("1e2", "100"),
            ("1.5E1", "15"),
            ("100e-2", "1"),
            ("0.000001", "0.000001"),
            ("1e-6", "0.000001"),
            ("0.0000001", "1e-7"),
            ("12e-8", "1.2e-7"),
            ("999999999999999999999", "999999999999999999999"),
            ("1e21", "1e+21"),
            ("1000000000000000000000", "1e+21"),
            ("1234567890123456789012", "1.234567890123456789012e+21"),
            ("0.30000000000000004", "0.30000000000000004"),
            (
                "12345678901234567890.12345678901234567890",
                "12345678901234567890.1234567890123456789",
            ),
            ("1E400", "1e+400"),
            ("1e-400", "1e-400"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert_eq!(canonical(number), expected, "{number}");
            let is_integer = !number.contains(['.', 'e', 'E']);
            assert!(number == expected || !is_canonical(number, is_integer), "{number}");
        }
    }
}
