//! Samples of a figure: percentiles, and the slope of a line through them.

/// The value that this part of the samples stays within; not a number if there are none.
pub(crate) fn percentile(samples: &mut [f64], part: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let last = samples.len().saturating_sub(1) as f64;
    samples.get((last * part).round() as usize).copied().unwrap_or(f64::NAN)
}

/// The slope of the line with the least squares through points.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let along: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    along / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_slope_and_samples_their_middle() {
        let line: Vec<_> = (0..10).map(|n| (f64::from(n), 3.0 * f64::from(n) + 1.0)).collect();
        assert!((slope(&line) - 3.0).abs() < 1e-9);
        assert!((percentile(&mut [5.0, 1.0, 3.0], 0.5) - 3.0).abs() < 1e-9);
        assert!(percentile(&mut [], 0.5).is_nan());
    }
}
