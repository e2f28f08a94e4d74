//! A ledger entry: what is written down about one request, or one call of a hook or a tool.

use crate::{BoundedName, DeclaredTools};
use serde::{Deserialize, Serialize};

/// The version of the lines. A line with another one is from another program or version.
pub(crate) const VERSION: u8 = 1;

/// Results beyond this many kinds of them are added up together: clients choose how many tools there are.
const KINDS: usize = 64;
const OTHERS: &str = "(others)";

/// Calls that fetched something back, of one request.
const FETCHES: usize = 64;

/// One request, or one call. The first member of a line tells its version: see [`LedgerReader`](crate::LedgerReader).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    #[serde(rename = "v")]
    version: u8,
    /// When, in seconds since 1970.
    pub time: u64,
    /// Who wrote it down.
    pub source: EntrySource,
    /// The agent, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<BoundedName>,
    /// The project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<BoundedName>,
    /// A fingerprint of the session's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<BoundedName>,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<BoundedName>,
    /// The provider's shape of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<BoundedName>,
    /// It was only measured: every result went on as it came, and `after` is what would have been.
    #[serde(default, skip_serializing_if = "is_default")]
    pub observed: bool,
    /// What became of the tool results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultOutcome>,
    /// Each time the model fetched something back. The tokens are also in `results`, where they are added up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fetches: Vec<OriginalFetch>,
    /// What the provider counted, over all replies that the answer took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// Of `usage`, what was spent because the model fetched something back, or tried to: every reply but the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<TokenUsage>,
    /// What other models did for it meanwhile, such as an advisor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advisors: Vec<ModelUsage>,
    /// Tokens that we added to the request: the definition of the tool that gives back what was left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub added: u64,
    /// The tools that it declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<DeclaredTools>,
    /// It is paid for with a subscription, in which no token has a price.
    #[serde(default, skip_serializing_if = "is_default")]
    pub subscription: bool,
    /// It was part of a batch, in which every token has half its price.
    #[serde(default, skip_serializing_if = "is_default")]
    pub batch: bool,
    /// Our own estimate of all tokens of the request as it went on. Used where the provider did not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_estimate: Option<u64>,
    /// Our count of all text of the request as it went on, by the vocabulary that its model is counted with: of every few
    /// requests, to be compared with the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
}

/// Who writes entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntrySource {
    /// The gateway between an agent and its model: an entry is a request.
    Gateway,
    /// A hook of an agent: an entry is a call.
    Hook,
    /// The gateway to tool servers: an entry is a call.
    Mcp,
    /// The gateway by itself, to see what compression changes: an entry is a request that no client made. Readers add up
    /// its cost apart.
    Shadow,
}

/// Tool results of one request to which the same was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultOutcome {
    /// The tool.
    pub tool: BoundedName,
    /// The program that a shell ran, where the tool is one: its name, without arguments. New results only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<BoundedName>,
    /// Why they went on as they came: the engine's name for the reason. New results only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<BoundedName>,
    /// The stages whose text was taken. None: the results went on as they came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<BoundedName>,
    /// They were sent before and are sent again, as agents do with each turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeated: bool,
    /// How many they are.
    pub results: u64,
    /// Their tokens as they came.
    pub before: u64,
    /// Their tokens as they went on.
    pub after: u64,
    /// Tokens of them that the model fetched back.
    #[serde(default, skip_serializing_if = "is_default")]
    pub expanded: u64,
}

/// Something that the model fetched back with one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalFetch {
    /// The tool whose result it is.
    pub tool: BoundedName,
    /// The program that a shell ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<BoundedName>,
    /// Which part was asked for.
    pub part: FetchedPart,
    /// The tokens that the model got.
    pub tokens: u64,
}

/// Which part of an original a model asks for. What it looked for is its own text, and is not written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FetchedPart {
    /// All of it.
    Whole,
    /// Some lines.
    Lines,
    /// What a search finds.
    Search,
    /// What a JSON path leads to.
    Path,
    /// A part that this version does not know.
    #[serde(other)]
    Other,
}

/// Tokens as a provider counts them, each in one place: what is in the cache is not in `input`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Input at full price.
    pub input: u64,
    /// Input read from the provider's cache, if it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Input written to the provider's cache, if it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Of `cache_write`, what is kept for an hour, if it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<u64>,
    /// What the model wrote.
    pub output: u64,
}

/// What another model did for a request, charged at its own price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUsage {
    /// The model.
    pub model: BoundedName,
    /// What was counted.
    pub usage: TokenUsage,
}

impl LedgerEntry {
    /// An entry about nothing yet, at a time in seconds since 1970.
    #[must_use]
    pub fn new(source: EntrySource, time: u64) -> Self {
        LedgerEntry {
            version: VERSION,
            time,
            source,
            client: None,
            project: None,
            session: None,
            model: None,
            dialect: None,
            observed: false,
            results: Vec::new(),
            fetches: Vec::new(),
            usage: None,
            extra: None,
            advisors: Vec::new(),
            added: 0,
            tools: None,
            subscription: false,
            batch: false,
            context_estimate: None,
            counted: None,
        }
    }

    /// Adds results, to those of the same tool with the same stages if there are some.
    pub fn add(&mut self, outcome: ResultOutcome) {
        if let Some(same) = self.results.iter_mut().find(|have| have.is_like(&outcome)) {
            return same.join(&outcome);
        }
        if self.results.len() < KINDS {
            return self.results.push(outcome);
        }
        // Programs are told apart where there is room for it; sums by tool and by stage must be right all the same.
        if let Some(same) = self.results.iter_mut().find(|have| have.is_alike(&outcome)) {
            same.program = None;
            return same.join(&outcome);
        }
        let stages = if outcome.is_touched() { vec![OTHERS.into()] } else { Vec::new() };
        let other =
            ResultOutcome { tool: OTHERS.into(), stages, program: None, kept: None, ..outcome };
        match self.results.iter_mut().find(|have| have.is_like(&other)) {
            Some(same) => same.join(&other),
            None => self.results.push(other),
        }
    }

    /// Adds one result that was sent before. Where there are some to which the same was done, nothing is copied.
    pub fn add_repeated<'s>(
        &mut self,
        tool: &str,
        stages: impl Iterator<Item = &'s str> + Clone,
        (before, after): (u64, u64),
    ) {
        let is_same = |have: &&mut ResultOutcome| {
            have.repeated
                && have.tool == *tool
                && have.stages.iter().map(BoundedName::as_str).eq(stages.clone())
        };
        match self.results.iter_mut().find(is_same) {
            Some(same) => same.count(1, before, after, 0),
            None => self.add(ResultOutcome {
                repeated: true,
                ..ResultOutcome::fresh(tool, stages, before, after)
            }),
        }
    }

    /// Adds a call with which the model fetched something back. Beyond so many they are added up in the last.
    pub fn add_fetch(&mut self, fetch: OriginalFetch) {
        if self.fetches.len() < FETCHES {
            self.fetches.push(fetch);
        } else if let Some(last) = self.fetches.last_mut() {
            last.tokens = last.tokens.saturating_add(fetch.tokens);
        }
    }

    /// All input tokens of the request as it went on, replies that fetched something back included; and whether the
    /// provider counted them.
    #[must_use]
    pub fn context(&self) -> Option<(u64, bool)> {
        let counted = self.usage.map(|usage| (usage.all_input(), true));
        counted.or_else(|| self.context_estimate.map(|tokens| (tokens, false)))
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.version == VERSION
    }
}

impl ResultOutcome {
    /// One result that is new.
    pub fn fresh<'s>(
        tool: &str,
        stages: impl IntoIterator<Item = &'s str>,
        before: u64,
        after: u64,
    ) -> Self {
        ResultOutcome {
            tool: tool.into(),
            program: None,
            kept: None,
            stages: stages.into_iter().map(BoundedName::from).collect(),
            repeated: false,
            results: 1,
            before,
            after,
            expanded: 0,
        }
    }

    /// Tokens that the model fetched back, of a result of this tool that was sent before.
    pub fn of_expansion<'s>(
        tool: &str,
        stages: impl IntoIterator<Item = &'s str>,
        tokens: u64,
    ) -> Self {
        ResultOutcome { results: 0, expanded: tokens, ..ResultOutcome::fresh(tool, stages, 0, 0) }
    }

    /// Was something made of them?
    #[must_use]
    pub fn is_touched(&self) -> bool {
        !self.stages.is_empty()
    }

    fn is_like(&self, other: &ResultOutcome) -> bool {
        self.is_alike(other) && self.program == other.program
    }

    /// The same but for the program.
    fn is_alike(&self, other: &ResultOutcome) -> bool {
        self.repeated == other.repeated
            && self.tool == other.tool
            && self.stages == other.stages
            && self.kept == other.kept
    }

    fn join(&mut self, other: &ResultOutcome) {
        self.count(other.results, other.before, other.after, other.expanded);
    }

    fn count(&mut self, results: u64, before: u64, after: u64, expanded: u64) {
        self.results = self.results.saturating_add(results);
        self.before = self.before.saturating_add(before);
        self.after = self.after.saturating_add(after);
        self.expanded = self.expanded.saturating_add(expanded);
    }
}

impl TokenUsage {
    /// All input, wherever it came from.
    #[must_use]
    pub fn all_input(&self) -> u64 {
        let cached = self.cache_read.unwrap_or(0).saturating_add(self.cache_write.unwrap_or(0));
        self.input.saturating_add(cached)
    }

    /// What is left of it without a part.
    pub(crate) fn without(&self, part: &TokenUsage) -> TokenUsage {
        let less = |all: Option<u64>, part: Option<u64>| {
            all.map(|all| all.saturating_sub(part.unwrap_or(0)))
        };
        TokenUsage {
            input: self.input.saturating_sub(part.input),
            cache_read: less(self.cache_read, part.cache_read),
            cache_write: less(self.cache_write, part.cache_write),
            cache_write_1h: less(self.cache_write_1h, part.cache_write_1h),
            output: self.output.saturating_sub(part.output),
        }
    }
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_is_as_many_lines_as_it_has_kinds_of_results() {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        for _ in 0..500 {
            entry.add_repeated("Bash", ["clean"].into_iter(), (10, 4));
            let long = "x".repeat(100);
            entry.add_repeated(&long, [long.as_str()].into_iter(), (10, 4));
        }
        entry.add(ResultOutcome::fresh("Bash", ["clean"], 10, 4));
        entry.add(ResultOutcome::fresh("Bash", [], 10, 10));
        assert_eq!(entry.results.len(), 4);
        for outcome in &entry.results[..2] {
            assert_eq!((outcome.results, outcome.before, outcome.after), (500, 5000, 2000));
        }
    }

    #[test]
    fn kinds_without_end_are_added_up_together_and_none_is_lost() {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        for n in 0..1000 {
            let stages = if n % 2 == 0 { vec!["clean"] } else { vec![] };
            entry.add(ResultOutcome::fresh(&format!("tool {n}"), stages, 10, 10));
        }
        assert_eq!(entry.results.len(), KINDS + 2);
        assert_eq!(entry.results.iter().map(|outcome| outcome.before).sum::<u64>(), 10_000);
        let line = serde_json::to_string(&entry).unwrap();
        assert!(line.len() < crate::reader::LONGEST, "{}", line.len());
    }

    #[test]
    fn programs_without_end_stay_with_their_tool() {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        for n in 0..1000 {
            let program = Some(format!("a-program-with-a-long-name-{n}").as_str().into());
            let kept = (n % 2 == 0).then(|| "not_smaller".into());
            let stages = if n % 2 == 0 { vec![] } else { vec!["clean"] };
            entry.add(ResultOutcome {
                program,
                kept,
                ..ResultOutcome::fresh("Bash", stages, 10, 10)
            });
            entry.add_fetch(OriginalFetch {
                tool: "Bash".into(),
                program: None,
                part: FetchedPart::Lines,
                tokens: 3,
            });
        }
        assert!(entry.results.iter().all(|outcome| outcome.tool == *"Bash"));
        assert_eq!(entry.results.iter().map(|outcome| outcome.before).sum::<u64>(), 10_000);
        let line = serde_json::to_string(&entry).unwrap();
        assert!(line.len() < crate::reader::LONGEST, "{}", line.len());
    }

    #[test]
    fn an_entry_of_an_older_version_still_reads() {
        let line = r#"{"v":1,"time":7,"source":"gateway","results":[{"tool":"Bash","stages":["clean"],"results":1,"before":9,"after":4,"expanded":2}]}"#;
        let entry: LedgerEntry = serde_json::from_str(line).unwrap();
        assert_eq!((&entry.results[0].program, &entry.results[0].kept), (&None, &None));
        assert_eq!(entry.fetches, []);
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
    }

    #[test]
    fn calls_without_end_are_added_up_in_the_last() {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        for _ in 0..1000 {
            let (tool, part) = ("Bash".into(), FetchedPart::Lines);
            entry.add_fetch(OriginalFetch { tool, program: None, part, tokens: 3 });
        }
        assert_eq!(entry.fetches.len(), FETCHES);
        assert_eq!(entry.fetches.iter().map(|fetch| fetch.tokens).sum::<u64>(), 3000);
    }

    #[test]
    fn a_line_begins_with_its_version_and_leaves_out_what_is_not_known() {
        let line = serde_json::to_string(&LedgerEntry::new(EntrySource::Mcp, 7)).unwrap();
        assert_eq!(line, r#"{"v":1,"time":7,"source":"mcp"}"#);
    }
}
