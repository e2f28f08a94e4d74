//! The index of tools: BM25F over their names, descriptions and parameters, and their embeddings beside it (`hybrid.rs`).
//!
//! Fields are weighted as in BM25F: the frequencies of a word in the fields of a tool are normalised by each field's length,
//! weighted, summed, and saturated once. A tool whose whole name was asked for counts more than one that merely shares a
//! word: its score is multiplied by up to two, by how much of its name is in the query. That is the only addition which
//! found clearly more of the right tools; character n-grams, pseudo-relevance feedback and the sum over a server's tools did
//! not (dev/bench/TOOL_SEARCH.md).

use super::declaration::{DeclaredTool, SearchedText};
use super::hybrid;
use super::names::similar;
use super::tool_vectors::ToolVectors;
use super::words::words;
use std::collections::{BTreeSet, HashMap, HashSet};

/// How fast further mentions of a word count less, and how much the length of a field counts: the usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// How many tools are searched, and how many bytes of declarations.
const MOST_TOOLS: usize = 4096;
const MOST_BYTES: usize = 8 << 20;

/// How many of these tools are searched, in their order.
pub(crate) fn searched(tools: &[DeclaredTool]) -> usize {
    let mut bytes = 0;
    let fits = |tool: &&DeclaredTool| {
        bytes += tool.text.len();
        bytes <= MOST_BYTES
    };
    tools.iter().take(MOST_TOOLS).take_while(fits).count()
}

/// How much of a query is read.
const QUERY: usize = 2000;

/// What a word in each field counts: the name of the tool, the name of its server, the description, the parameters.
const WEIGHTS: [f64; 4] = [3.0, 2.0, 1.0, 1.0];

/// Tools that can be searched.
///
/// ```
/// use tokenforge_mcp::ToolIndex;
///
/// let index = ToolIndex::of([
///     ("git", r#"{"name":"log","description":"Shows the commits of a branch"}"#),
///     ("files", r#"{"name":"read_file","description":"Reads a text file"}"#),
/// ]);
/// assert_eq!(index.search("list commits", 5), ["git__log"]);
/// ```
#[derive(Debug, Default)]
pub struct ToolIndex {
    tools: Vec<DeclaredTool>,
    by_name: HashMap<String, usize>,
    /// Where each word is, in the order of the tools.
    postings: HashMap<String, Vec<Posting>>,
    /// The words of each tool's name.
    names: Vec<BTreeSet<String>>,
    /// None for a few tools: words find them.
    vectors: Option<ToolVectors>,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: usize,
    /// How often, normalised and weighted.
    frequency: f64,
}

impl ToolIndex {
    /// The index of tools that are declared by servers of these prefixes.
    #[must_use]
    pub fn of<'a>(tools: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let declared = tools.into_iter().filter_map(|(prefix, text)| {
            let item = tokenforge_json::Node::read(text).ok()?;
            DeclaredTool::read(&item, &prefix.into(), true)
        });
        Self::new(declared.collect())
    }

    /// The names of the tools that fit best, the best first.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<&str> {
        let found = self.ranked(query).into_iter().take(limit);
        found.map(|tool| tool.name.as_str()).collect()
    }

    /// As a model is shown a tool that it found, as JSON.
    #[must_use]
    pub fn shown(&self, name: &str) -> Option<String> {
        self.get(name).map(DeclaredTool::shown)
    }

    pub(crate) fn new(mut tools: Vec<DeclaredTool>) -> Self {
        tools.truncate(searched(&tools));
        let texts: Vec<SearchedText> = tools.iter().map(DeclaredTool::searched).collect();
        let fields: Vec<[Vec<String>; 4]> = texts
            .iter()
            .map(|text| {
                [&text.name, &text.server, &text.description, &text.parameters]
                    .map(|text| words(text))
            })
            .collect();
        let mut lengths = [0.0; 4];
        for field in &fields {
            for (length, words) in lengths.iter_mut().zip(field) {
                *length += words.len() as f64 / tools.len() as f64;
            }
        }
        let mut postings: HashMap<String, Vec<Posting>> = HashMap::new();
        for (tool, fields) in fields.iter().enumerate() {
            for ((words, usual), weight) in fields.iter().zip(lengths).zip(WEIGHTS) {
                let share = weight / (1.0 - B + B * words.len() as f64 / usual.max(1e-9));
                for word in words {
                    let places = postings.entry(word.clone()).or_default();
                    match places.last_mut().filter(|last| last.tool == tool) {
                        Some(last) => last.frequency += share,
                        None => places.push(Posting { tool, frequency: share }),
                    }
                }
            }
        }
        let by_name = tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        let names = tools.iter().map(|tool| words(&tool.own).into_iter().collect()).collect();
        ToolIndex { tools, by_name, postings, names, vectors: ToolVectors::new(&texts) }
    }

    pub(crate) fn tools(&self) -> &[DeclaredTool] {
        &self.tools
    }

    pub(crate) fn get(&self, name: &str) -> Option<&DeclaredTool> {
        self.by_name.get(name).map(|at| &self.tools[*at])
    }

    /// The tools that fit a query, the best first; of those that fit alike, the first in the servers' lists. Names that are
    /// written out stand in front.
    pub(crate) fn ranked(&self, query: &str) -> Vec<&DeclaredTool> {
        let query: String = query.chars().take(QUERY).collect();
        let named = query.split(|c: char| c.is_whitespace() || ",;\"'`".contains(c));
        let mut order: Vec<usize> = Vec::new();
        for name in named {
            if let Some(at) = self.by_name.get(name).filter(|at| !order.contains(at)) {
                order.push(*at);
            }
        }
        let vectors = self.vectors.as_ref();
        let cosines = vectors.and_then(|vectors| vectors.cosines(&query));
        let is_meaningful = vectors.is_some_and(|vectors| vectors.knows_a_word(&query));
        order.extend(hybrid::ranked(&self.scores(&query), cosines.as_deref(), is_meaningful));
        let mut seen = HashSet::new();
        order.retain(|at| seen.insert(*at));
        order.into_iter().map(|at| &self.tools[at]).collect()
    }

    /// Names like this one, for a client that misspelled it.
    pub(crate) fn similar(&self, name: &str, is_seen: impl Fn(&DeclaredTool) -> bool) -> Vec<&str> {
        let seen = self.tools.iter().filter(|tool| is_seen(tool));
        let near = similar(name, seen.map(|tool| (tool.name.as_str(), tool.own.as_str())));
        if !near.is_empty() {
            return near;
        }
        let ranked = self.ranked(name).into_iter().filter(|tool| is_seen(tool));
        ranked.take(3).map(|tool| tool.name.as_str()).collect()
    }

    /// The lexical score of each tool; 0: it shares no word with the query.
    pub(super) fn scores(&self, query: &str) -> Vec<f64> {
        let mut asked = words(query);
        let mut seen = HashSet::new();
        asked.retain(|word| seen.insert(word.clone()));
        let mut scores = vec![0.0; self.tools.len()];
        for word in &asked {
            let rarity = self.rarity(word);
            for Posting { tool, frequency } in self.postings.get(word).into_iter().flatten() {
                scores[*tool] += rarity * frequency * (K1 + 1.0) / (frequency + K1);
            }
        }
        for (at, score) in scores.iter_mut().enumerate().filter(|(_, score)| **score > 0.0) {
            *score *= 1.0 + self.coverage(at, &seen);
        }
        scores
    }

    /// How much of a tool's name was asked for, from 0 to 1.
    fn coverage(&self, tool: usize, asked: &HashSet<String>) -> f64 {
        let (mut of, mut all) = (0.0, 0.0);
        for word in &self.names[tool] {
            let rarity = self.rarity(word);
            all += rarity;
            of += if asked.contains(word) { rarity } else { 0.0 };
        }
        if all > 0.0 { of / all } else { 0.0 }
    }

    /// The inverse document frequency of a word.
    fn rarity(&self, word: &str) -> f64 {
        let mentions = self.postings.get(word).map_or(0, Vec::len) as f64;
        let all = self.tools.len() as f64;
        (1.0 + (all - mentions + 0.5) / (mentions + 0.5)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOOLS: [(&str, &str); 5] = [
        ("git", r#"{"name":"log","description":"Shows the commits of a branch"}"#),
        ("git", r#"{"name":"create_branch","description":"Creates a branch from a commit"}"#),
        ("files", r#"{"name":"write_file","description":"Writes a text to a path"}"#),
        ("files", r#"{"name":"read_file","description":"Reads a text at a path"}"#),
        (
            "maps",
            r#"{"name":"route","description":"Finds a way","inputSchema":{"properties":{"mode":{"enum":["bike","foot"]}}}}"#,
        ),
    ];

    #[test]
    fn m21_the_best_fit_is_first_and_ties_keep_the_servers_order() {
        let index = ToolIndex::of(TOOLS);
        let first = |query: &str| index.search(query, 1);
        assert_eq!(first("show the commits"), ["git__log"]);
        assert_eq!(first("make a new branch"), ["git__create_branch"]);
        assert_eq!(first("bike route"), ["maps__route"]);
        assert_eq!(index.search("text path", 5), ["files__write_file", "files__read_file"]);
        assert_eq!(index.search("weather", 5), [""; 0]);
        assert_eq!(index.search("", 5), [""; 0]);
    }

    #[test]
    fn m21_a_name_that_is_written_out_comes_first() {
        let index = ToolIndex::of(TOOLS);
        assert_eq!(index.search("files__read_file, git__log", 2), ["files__read_file", "git__log"]);
    }

    #[test]
    fn m21_whose_whole_name_is_asked_for_is_before_who_only_shares_a_word() {
        let index = ToolIndex::of([
            ("a", r#"{"name":"write_note","description":"file file file"}"#),
            ("b", r#"{"name":"write_file","description":"Saves something"}"#),
        ]);
        assert_eq!(index.search("write a file", 1), ["b__write_file"]);
    }

    #[test]
    fn m21_no_more_tools_are_searched_than_there_may_be() {
        let text = |n: usize| format!(r#"{{"name":"t{n}","description":"same"}}"#);
        let all: Vec<String> = (0..MOST_TOOLS + 5).map(text).collect();
        let index = ToolIndex::of(all.iter().map(|text| ("x", text.as_str())));
        assert_eq!(index.tools().len(), MOST_TOOLS);
        let long = format!(r#"{{"name":"t","description":"{}"}}"#, "x".repeat(MOST_BYTES / 3));
        assert_eq!(ToolIndex::of([("x", &*long); 4]).tools().len(), 2);
    }

    proptest! {
        #[test]
        fn m21_whatever_is_asked_the_order_is_the_same_and_nothing_comes_twice(
            names in prop::collection::vec("[a-z]{1,6}(_[a-z]{1,6})?", 0..12),
            descriptions in prop::collection::vec("[a-z ]{0,30}", 12),
            query in "[a-z_ ]{0,40}|\\PC{0,40}",
        ) {
            let declared = |(name, text): (&String, &String)| {
                serde_json::json!({"name": name, "description": text}).to_string()
            };
            let texts: Vec<String> = names.iter().zip(&descriptions).map(declared).collect();
            let all = || texts.iter().map(|text| ("p", text.as_str()));
            let index = ToolIndex::of(all());
            let found: Vec<&DeclaredTool> = index.ranked(&query);
            let places: HashSet<*const DeclaredTool> = found.iter().map(|tool| std::ptr::from_ref(*tool)).collect();
            prop_assert_eq!(places.len(), found.len());
            let again = ToolIndex::of(all());
            prop_assert_eq!(index.search(&query, 99), again.search(&query, 99));
            // A tool is found by its own name.
            for name in &names {
                let full = format!("p__{name}");
                prop_assert_eq!(index.search(&full, 1), [full.as_str()]);
            }
        }
    }
}
