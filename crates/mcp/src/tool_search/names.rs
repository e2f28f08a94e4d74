//! Near names: which tool may have been meant by a name that none has (edit distance).

/// How many names are suggested.
const SUGGESTED: usize = 3;

/// Longer names are not compared letter by letter.
const LONGEST: usize = 128;

/// The names that are nearest to this one, of tools with a full and an own name: another case, a missing prefix, a few
/// letters.
pub(super) fn similar<'a>(
    name: &str,
    tools: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let own = wanted.rsplit("__").next().unwrap_or_default().to_owned();
    let most = (wanted.chars().count() / 3).max(2);
    let mut near: Vec<(usize, &str)> = tools
        .filter_map(|(full, theirs)| {
            let is_own = !own.is_empty() && theirs.to_lowercase() == own;
            let distance = distance(&wanted, &full.to_lowercase(), most);
            Some((if is_own { 0 } else { distance? }, full))
        })
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.truncate(SUGGESTED);
    near.into_iter().map(|(_, full)| full).collect()
}

/// How many letters differ (Levenshtein); `None`: more than `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most || one.len().max(other.len()) > LONGEST {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, theirs) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != theirs);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m22_names_that_may_have_been_meant_are_found() {
        let tools = [("git__log", "log"), ("git__list", "list"), ("files__read_file", "read_file")];
        let near = |name: &str| similar(name, tools.into_iter());
        assert_eq!(near("git__lgo")[0], "git__log");
        assert_eq!(near("read_file"), ["files__read_file"]);
        assert_eq!(near("Files__Read_File"), ["files__read_file"]);
        assert_eq!(near("other__log")[0], "git__log");
        assert_eq!(near("something entirely different"), [""; 0]);
        assert_eq!(near(""), [""; 0]);
        assert_eq!(near(&"x".repeat(100_000)), [""; 0]);
    }

    #[test]
    fn letters_are_counted_as_levenshtein_does() {
        assert_eq!(distance("kitten", "sitting", 9), Some(3));
        assert_eq!(distance("", "ab", 9), Some(2));
        assert_eq!(distance("same", "same", 0), Some(0));
        assert_eq!(distance("kitten", "sitting", 2), None);
    }
}
