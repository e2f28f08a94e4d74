//! JSON texts that break careless codecs.

mod pieces;

use fastrand::Rng;
use pieces::{KEYS, NUMBERS, ODD_NUMBERS, PIECES, SURROGATES};

/// What a nasty document may contain. By default: everything that JSON allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nasty {
    /// Objects with the same key twice.
    pub duplicate_keys: bool,
    /// Halves of surrogate pairs, as `\ud800`.
    pub lone_surrogates: bool,
    /// Numbers that a double cannot hold, or whose text it would not give back.
    pub odd_numbers: bool,
    /// Keys such as `"1"`, which JavaScript moves to the front of an object.
    pub integer_keys: bool,
}

impl Default for Nasty {
    fn default() -> Self {
        Self { duplicate_keys: true, lone_surrogates: true, odd_numbers: true, integer_keys: true }
    }
}

/// A JSON text made up from a seed.
pub fn nasty(seed: u64, taste: Nasty) -> String {
    let mut rng = Rng::with_seed(seed);
    let budget = if rng.u8(..100) == 0 { rng.usize(..400) } else { rng.usize(..40) };
    let mut writer = Writer { rng, taste, budget, out: String::new() };
    writer.space();
    writer.value(0);
    writer.space();
    writer.out
}

struct Writer {
    rng: Rng,
    taste: Nasty,
    /// Values still to be written, so that documents stay small.
    budget: usize,
    out: String,
}

impl Writer {
    fn value(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 || depth > 12 {
            return self.scalar();
        }
        match self.rng.u8(..20) {
            0..=4 => self.object(depth),
            5..=7 => self.array(depth),
            8..=10 => self.scalars(),
            11..=15 => self.rows(depth),
            16 => self.entries(depth),
            _ => self.scalar(),
        }
    }

    fn object(&mut self, depth: usize) {
        let keys = self.keys(6);
        self.members(&keys, |writer, _| writer.value(depth + 1));
    }

    fn array(&mut self, depth: usize) {
        let count = self.rng.usize(..5);
        self.list(count, |writer, _| writer.value(depth + 1));
    }

    /// An array of scalars, often of one kind.
    fn scalars(&mut self) {
        let kind = self.rng.u8(..5);
        let count = self.rng.usize(..6);
        self.list(count, |writer, _| match kind {
            0 => writer.string(),
            1 => writer.number(),
            2 => writer.literal(),
            _ => writer.scalar(),
        });
    }

    /// An array of objects that agree on their keys, or nearly.
    fn rows(&mut self, depth: usize) {
        let keys = self.keys(4);
        let nested = self.nested_columns(&keys, depth);
        let count = self.rng.usize(..5);
        self.list(count, |writer, _| writer.row(&keys, &nested, depth));
    }

    /// An object whose values agree on their keys, or nearly.
    fn entries(&mut self, depth: usize) {
        let keys = self.keys(4);
        let nested = self.nested_columns(&keys, depth);
        let names = self.keys(4);
        self.members(&names, |writer, _| writer.row(&keys, &nested, depth));
    }

    /// For each column, the keys of the object that its cells are, if they are objects.
    fn nested_columns(&mut self, keys: &[String], depth: usize) -> Vec<Option<Vec<String>>> {
        let mut nested = |_: &String| (depth < 4 && self.rng.u8(..6) == 0).then(|| self.keys(3));
        keys.iter().map(&mut nested).collect()
    }

    fn row(&mut self, keys: &[String], nested: &[Option<Vec<String>>], depth: usize) {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        if self.rng.u8(..12) == 0 {
            self.rng.shuffle(&mut order);
        }
        if self.rng.u8(..20) == 0 {
            order.pop();
        }
        let ordered: Vec<String> = order.iter().map(|&column| keys[column].clone()).collect();
        self.members(&ordered, |writer, index| {
            if writer.rng.u8(..30) == 0 {
                return writer.value(depth + 2);
            }
            match &nested[order[index]] {
                Some(keys) => writer.members(keys, |writer, _| writer.scalar()),
                None => writer.scalar(),
            }
        });
    }

    fn members(&mut self, keys: &[String], mut value: impl FnMut(&mut Self, usize)) {
        self.out.push('{');
        self.space();
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                self.comma();
            }
            self.out.push('"');
            self.out.push_str(key);
            self.out.push('"');
            self.space();
            self.out.push(':');
            self.space();
            value(self, index);
        }
        self.space();
        self.out.push('}');
    }

    fn list(&mut self, count: usize, mut value: impl FnMut(&mut Self, usize)) {
        self.out.push('[');
        self.space();
        for index in 0..count {
            if index > 0 {
                self.comma();
            }
            value(self, index);
        }
        self.space();
        self.out.push(']');
    }

    fn comma(&mut self) {
        self.space();
        self.out.push(',');
        self.space();
    }

    fn keys(&mut self, most: usize) -> Vec<String> {
        let count = self.rng.usize(..=most);
        let mut keys: Vec<String> = Vec::with_capacity(count);
        for _ in 0..count {
            let key = self.key();
            if self.taste.duplicate_keys || !keys.iter().any(|other| same_key(other, &key)) {
                keys.push(key);
            }
        }
        keys
    }

    fn key(&mut self) -> String {
        match self.rng.u8(..10) {
            0 if self.taste.integer_keys => self.rng.u8(..20).to_string(),
            1 => self.text(),
            _ => self.pick(KEYS).to_owned(),
        }
    }

    fn scalar(&mut self) {
        match self.rng.u8(..10) {
            0..=4 => self.string(),
            5..=7 => self.number(),
            _ => self.literal(),
        }
    }

    fn literal(&mut self) {
        let literal = self.pick(&["true", "false", "null"]);
        self.out.push_str(literal);
    }

    fn number(&mut self) {
        let odd = self.taste.odd_numbers && self.rng.u8(..3) == 0;
        let number = self.pick(if odd { ODD_NUMBERS } else { NUMBERS });
        self.out.push_str(number);
    }

    fn string(&mut self) {
        let text = self.text();
        self.out.push('"');
        self.out.push_str(&text);
        self.out.push('"');
    }

    fn text(&mut self) -> String {
        let pieces = self.rng.usize(..4);
        let mut text = String::new();
        for _ in 0..pieces {
            let surrogate = self.taste.lone_surrogates && self.rng.u8(..200) == 0;
            text.push_str(self.pick(if surrogate { SURROGATES } else { PIECES }));
        }
        // An integer-like key would come back elsewhere; a letter keeps the piece and avoids that.
        if !self.taste.integer_keys && text.bytes().all(|byte| byte.is_ascii_digit()) {
            text.push('k');
        }
        text
    }

    fn space(&mut self) {
        if self.rng.u8(..8) == 0 {
            let space = self.pick(&[" ", "\n", "\t", "\r\n", "  \n  "]);
            self.out.push_str(space);
        }
    }

    fn pick(&mut self, from: &'static [&'static str]) -> &'static str {
        from[self.rng.usize(..from.len())]
    }
}

/// The spellings of one key that the lists above contain.
fn same_key(one: &str, other: &str) -> bool {
    let plain = |key: &str| {
        key.replace("\\u0061", "a")
            .replace("\\u0041", "A")
            .replace("\\u00e9", "é")
            .replace("\\u00E9", "é")
            .replace("\\u2028", "\u{2028}")
            .replace("\\uFEFF", "\u{feff}")
            .replace("\\ud83d\\ude00", "😀")
            .replace("\\u0022", "\\\"")
            .replace("\\u005c", "\\\\")
            .replace("\\/", "/")
    };
    plain(one) == plain(other)
}
