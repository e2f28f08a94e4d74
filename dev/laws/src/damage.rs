//! Texts with small damage, for readers that have to survive it and to agree on where it is.

/// Characters that mean something in some form; those behind the first [`COMMON`] only in STC 2.
pub const SYNTAX: [char; 24] = [
    '"', '\\', '{', '}', '[', ']', ':', ',', '/', '\n', ' ', '-', '0', 'é', '(', ')', '|', '^',
    '*', '&', '=', '?', '+', '1',
];

/// How many characters of [`SYNTAX`] mean something elsewhere.
pub const COMMON: usize = 14;

/// A text with up to three characters removed, replaced or inserted, the same for the same seed.
pub fn scratch(seed: u64, text: &str, syntax: &[char]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let mut state = seed;
    for _ in 0..seed % 4 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let at = (state >> 33) as usize % (characters.len() + 1);
        let sign = syntax[(state >> 24) as usize % syntax.len()];
        match (state >> 20) % 3 {
            0 if at < characters.len() => drop(characters.remove(at)),
            1 if at < characters.len() => characters[at] = sign,
            _ => characters.insert(at, sign),
        }
    }
    characters.into_iter().collect()
}
