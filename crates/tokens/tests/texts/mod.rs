//! Texts to count: random ones made to be nasty, and the corpus.

// Each test file uses its share of this module.
#![allow(dead_code, unused_imports)]

mod atoms;
mod corpus;

use atoms::{BLANKS, MARKS, SYNTAX, WORDS};
pub(crate) use atoms::{LONG_S, SPECIAL};
pub(crate) use corpus::corpus;

/// A deterministic source of texts: the same seed gives the same texts.
pub(crate) struct Texts(u64);

impl Texts {
    pub(crate) fn new(seed: u64) -> Self {
        Texts(seed)
    }

    /// Short on average, with a long one now and then, and without [`LONG_S`].
    pub(crate) fn next_text(&mut self) -> String {
        let atoms = match self.below(1000) {
            0 => 2000,
            1..20 => 200,
            _ => 1 + self.below(24),
        };
        let mut text = String::new();
        for _ in 0..atoms {
            self.push_atom(&mut text);
        }
        text.replace(LONG_S, "ſ")
    }

    fn push_atom(&mut self, text: &mut String) {
        match self.below(20) {
            0..4 => text.push_str(self.pick(WORDS)),
            4..8 => text.push_str(self.pick(BLANKS)),
            8..11 => text.push_str(self.pick(MARKS)),
            11..14 => text.push_str(self.pick(SYNTAX)),
            14 => text.push_str(self.pick(SPECIAL)),
            15 => text.push_str(&(self.next_u64() >> self.below(64)).to_string()),
            16 => text.push_str(&format!("{:x}", self.next_u64())),
            17 => (0..self.below(12)).for_each(|_| text.push(self.ascii())),
            18 => text.push(self.any_char()),
            _ => {
                let c = if self.below(3) == 0 { self.any_char() } else { self.ascii() };
                let longest = if self.below(50) == 0 { 600 } else { 12 };
                let run = self.below(longest);
                text.extend(std::iter::repeat_n(c, run));
            }
        }
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn ascii(&mut self) -> char {
        char::from(self.below(128) as u8)
    }

    fn any_char(&mut self) -> char {
        let plane_end = [0x250, 0x3000, 0x1_0000, 0x2_0000, 0x11_0000][self.below(5)];
        char::from_u32(self.below(plane_end) as u32).unwrap_or('\u{fffd}')
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }

    /// SplitMix64.
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
