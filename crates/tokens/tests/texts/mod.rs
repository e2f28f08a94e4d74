//! Texts to count: random ones made to be nasty, and the corpus.

// Each test file uses its share of this module.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// What some tokenizer treats as more than text.
pub(crate) const SPECIAL: &[&str] = &[
    "<|endoftext|>",
    "<|endofprompt|>",
    "<|fim_prefix|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|reserved_200013|>",
    "<|begin_of_text|>",
    "<｜begin▁of▁sentence｜>",
    "<tool_call>",
    "[TOOL_RESULTS]",
];

const WORDS: &[&str] = &[
    "the",
    "error",
    "getUserById",
    "HTTPServer",
    "XMLHttp",
    "snake_case_name",
    "naïve",
    "Straße",
    "don't",
    "WE'LL",
    "it'ſ",
    "İstanbul",
    "ǅ",
    "ʰ",
    "Привет",
    "мир",
    "שלום",
    "مرحبا",
    "हिन्दी",
    "ไทย",
    "한국어",
    "日本語テキスト",
    "中文",
    "龥",
    "〆",
    "々",
    "〇",
    "ＡＢｃ",
    "ﾊﾝｶｸ",
    "𠀀",
    "ﬁ",
    "Ⅷ",
    "Ⓐ",
    "null",
    "true",
];

const BLANKS: &[&str] = &[
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\n  ",
    "  \n",
    " \r\n\t",
    "\u{a0}",
    "\u{a0}\u{a0}",
    "\u{3000}",
    "\n\u{3000}\u{3000}",
    "\u{2028}",
    "\u{85}",
    "\u{b}\u{c}",
    "\u{200b}",
    "\u{feff}",
    "\u{1c}",
];

const MARKS: &[&str] = &[
    "e\u{301}",
    "\u{301}",
    "\u{20dd}",
    "a\u{300}\u{316}",
    "\u{3099}",
    "か\u{3099}",
    "👩‍👩‍👧",
    "🇯🇵",
    "👍🏽",
    "❤️",
    "\u{200d}",
    "\u{fe0f}",
    "½",
    "²",
    "٣",
    "१२",
    "①",
    "₤",
    "…",
    "—",
    "「",
    "」",
    "。",
    "，",
    "、",
    "！",
    "“",
    "’",
    "'",
    "\"",
    "`",
    "\0",
    "\u{7f}",
    "\u{1b}[31m",
    "\u{e000}",
    "\u{10ffff}",
];

const SYNTAX: &[&str] = &[
    "{\"id\":",
    "\"name\": \"",
    "\",\n  \"",
    "[1,2,3]",
    "}, {",
    "\\n",
    "\\u00e9",
    "://",
    "/",
    "//",
    "./",
    ".\n/",
    "-->",
    "=>",
    "!=",
    "::",
    "();",
    "):\n\t",
    "#!/",
    "@@ -1,7 +1,7 @@\n",
    "| --- |",
    "1.5e-10",
    "0x",
    "'s",
    "'T",
    "'re",
    "'ſ",
    "12,345.67",
    "2024-01-31T23:59:59Z",
    "192.168.0.1",
    "<div>",
    "</",
    "*/",
    "***",
    "$",
    "~/",
    ">>> ",
];

/// A deterministic source of texts: the same seed gives the same texts.
pub(crate) struct Texts(u64);

impl Texts {
    pub(crate) fn new(seed: u64) -> Self {
        Texts(seed)
    }

    /// Short on average, with a long one now and then.
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
        text
    }

    fn push_atom(&mut self, text: &mut String) {
        match self.below(20) {
            0..4 => text.push_str(self.pick(WORDS)),
            4..8 => text.push_str(self.pick(BLANKS)),
            8..11 => text.push_str(self.pick(MARKS)),
            11..14 => text.push_str(self.pick(SYNTAX)),
            14 => text.push_str(self.pick(SPECIAL)),
            15 => text.push_str(&self.next_u64().to_string()[self.below(19)..]),
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

/// Every text of the corpus beside the project with its kind, or `None` and a line that says so.
pub(crate) fn corpus() -> Option<Vec<(String, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !root.is_dir() {
        println!("skipped: no corpus at {}", root.display());
        return None;
    }
    let mut texts = Vec::new();
    for path in files_under(&root.join("outputs")) {
        let kind = path.parent().and_then(Path::file_name).expect("outputs/<kind>/<source>.jsonl");
        for line in fs::read_to_string(&path).expect("readable").lines() {
            let output: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
            let content = output["content"].as_str().expect("content is text");
            texts.push((kind.to_string_lossy().into_owned(), content.to_owned()));
        }
    }
    for path in files_under(&root.join("sessions")) {
        let session = fs::read_to_string(&path).expect("readable");
        let session: serde_json::Value = serde_json::from_str(&session).expect("JSON");
        push_strings(&session["messages"], &mut texts);
    }
    Some(texts)
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the corpus") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn push_strings(value: &serde_json::Value, texts: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::String(text) => texts.push(("session".to_owned(), text.clone())),
        serde_json::Value::Array(items) => items.iter().for_each(|item| push_strings(item, texts)),
        serde_json::Value::Object(members) => {
            members.values().for_each(|member| push_strings(member, texts));
        }
        _ => {}
    }
}
