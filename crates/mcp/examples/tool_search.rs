//! How many of the right tools a search finds, and what declarations cost with it and without: on the tools and tasks that
//! `dev/bench/tool_search/prepare.py` reads from recorded sessions, and for the tasks of `dev/bench/tool_search/tasks.jsonl`.
//! `dev/bench/tool_search/run FOLDER` runs both.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tokenforge_mcp::{ToolIndex, definitions, prefixed};
use tokenforge_tokens::Counter;

/// How many of the first tools count as found.
const FIRST: [usize; 4] = [1, 3, 5, 10];

#[derive(Deserialize)]
struct Recorded {
    tools: Vec<RecordedTool>,
    /// Of how many tools the server's own declaration is there.
    whole: usize,
    sessions: Vec<RecordedSession>,
}

#[derive(Deserialize)]
struct RecordedTool {
    server: String,
    tool: serde_json::Value,
}

#[derive(Deserialize)]
struct RecordedSession {
    prompt: String,
    searches: Vec<RecordedSearch>,
}

#[derive(Deserialize)]
struct RecordedSearch {
    query: String,
    called: Vec<(String, String)>,
}

/// A task in our own words.
#[derive(Deserialize)]
struct OwnTask {
    /// `search`: as a model searches; `user`: as a user asks.
    kind: String,
    task: String,
    /// Tools that would do.
    right: Vec<(String, String)>,
}

/// How often the right tool was among the first.
#[derive(Default)]
struct Hits {
    all: usize,
    within: [usize; FIRST.len()],
}

impl Hits {
    /// The best place of a right tool, from 0.
    fn count(&mut self, place: Option<usize>) {
        self.all += 1;
        for (hits, first) in self.within.iter_mut().zip(FIRST) {
            *hits += usize::from(place.is_some_and(|place| place < first));
        }
    }

    fn print(&self, what: &str) {
        let share =
            |hits: &usize| format!("{:>5.1} %", 100.0 * *hits as f64 / self.all.max(1) as f64);
        let shares: Vec<String> = self.within.iter().map(share).collect();
        println!("{what:<62} {:>4}  {}", self.all, shares.join("  "));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (Some(path), Some(own)) = (std::env::args().nth(1), std::env::args().nth(2)) else {
        return Err("expected the file that prepare.py made, and tasks.jsonl".into());
    };
    let recorded: Recorded = serde_json::from_slice(&std::fs::read(path)?)?;
    let own: Result<Vec<OwnTask>, _> =
        std::fs::read_to_string(own)?.lines().map(serde_json::from_str).collect();
    let texts: Vec<(String, String)> =
        recorded.tools.iter().map(|tool| (tool.server.clone(), tool.tool.to_string())).collect();
    let began = Instant::now();
    let index = ToolIndex::of(texts.iter().map(|(server, text)| (server.as_str(), text.as_str())));
    let built = began.elapsed();
    println!(
        "{} tools of {} servers ({} with the server's own declaration), {} sessions",
        recorded.tools.len(),
        recorded.tools.iter().map(|tool| &tool.server).collect::<BTreeSet<_>>().len(),
        recorded.whole,
        recorded.sessions.len()
    );
    print_cost(&recorded, &texts, &index);
    let took = print_hits(&recorded, &index);
    print_own(&own?, &index);
    println!("\nindexed in {built:?}; a search takes {took:?} (median)");
    Ok(())
}

/// What a model pays for declarations in every request.
fn print_cost(recorded: &Recorded, texts: &[(String, String)], index: &ToolIndex) {
    let counter = Counter::default();
    let all: usize = texts.iter().map(|(_, text)| counter.count(text)).sum();
    let constant: usize = definitions().iter().map(|text| counter.count(text)).sum();
    let answers: Vec<usize> = recorded
        .searches()
        .map(|search| {
            let found = index.search(&asked(&search.query), 5);
            found.iter().filter_map(|name| index.shown(name)).map(|text| counter.count(&text)).sum()
        })
        .collect();
    let mean = answers.iter().sum::<usize>() as f64 / answers.len().max(1) as f64;
    println!(
        "declarations: {all} tokens; with the search {constant}, in every request the same: {:.1} % less",
        100.0 - 100.0 * constant as f64 / all as f64
    );
    println!("an answer with five tools: {mean:.0} tokens (mean), once each");
}

/// How often the right tools were found; answers how long a search takes.
fn print_hits(recorded: &Recorded, index: &ToolIndex) -> Duration {
    let mut times = Vec::new();
    let mut ranked = |query: &str| {
        let began = Instant::now();
        let found = index.search(query, usize::MAX);
        times.push(began.elapsed());
        found
    };
    let place = |found: &[&str], wanted: &str| found.iter().position(|name| *name == wanted);
    let (mut any, mut each, mut namesake, mut written) = <(Hits, Hits, Hits, Hits)>::default();
    let (mut session, mut prompt) = <(Hits, Hits)>::default();
    for recorded in &recorded.sessions {
        let mut best: Option<usize> = None;
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for search in &recorded.searches {
            let called: Vec<String> =
                search.called.iter().map(|(server, tool)| prefixed(server, tool)).collect();
            if called.is_empty() {
                continue;
            }
            let found = ranked(&asked(&search.query));
            let places: Vec<Option<usize>> =
                called.iter().map(|name| place(&found, name)).collect();
            places.iter().for_each(|place| each.count(*place));
            any.count(places.iter().flatten().min().copied());
            best = best.into_iter().chain(places.iter().flatten().copied()).min();
            let is_namesake = |name: &&str| {
                search
                    .called
                    .iter()
                    .any(|(_, tool)| name.rsplit("__").next() == Some(tool.as_str()))
            };
            namesake.count(found.iter().position(is_namesake));
            let found = ranked(&search.query);
            written.count(called.iter().filter_map(|name| place(&found, name)).min());
            wanted.extend(called);
        }
        if !wanted.is_empty() {
            session.count(best);
            let found = ranked(&recorded.prompt);
            prompt.count(wanted.iter().filter_map(|name| place(&found, name)).min());
        }
    }
    println!("\nthe right tool is among the first{:>33}      1        3        5       10", "of");
    any.print("searches: a tool that was called next");
    namesake.print("searches: that, or one of the same name of another server");
    each.print("searches: each tool that was called next");
    written.print("searches as they were written, with the benchmark's markup");
    session.print("sessions: a tool that was called, by any of its searches");
    prompt.print("sessions: a tool that was called, by the user's own words");
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// How often a right tool was found for our own tasks.
fn print_own(tasks: &[OwnTask], index: &ToolIndex) {
    for (kind, what) in [
        (None, "own tasks: a tool that would do"),
        (Some("search"), "own tasks as a model searches"),
        (Some("user"), "own tasks as a user asks"),
    ] {
        let mut hits = Hits::default();
        for task in tasks.iter().filter(|task| kind.is_none_or(|kind| task.kind == kind)) {
            let right: Vec<String> =
                task.right.iter().map(|(server, tool)| prefixed(server, tool)).collect();
            let found = index.search(&task.task, usize::MAX);
            hits.count(found.iter().position(|name| right.iter().any(|right| right == name)));
        }
        hits.print(what);
    }
}

impl Recorded {
    fn searches(&self) -> impl Iterator<Item = &RecordedSearch> {
        self.sessions.iter().flat_map(|session| &session.searches)
    }
}

/// A query without the form that the benchmark asks for: `<tool_assistant>`, `server:` and `tool:`.
fn asked(query: &str) -> String {
    let line = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("server:").or(line.strip_prefix("tool:")).unwrap_or(line);
        line.replace("<tool_assistant>", " ").replace("</tool_assistant>", " ")
    };
    query.lines().map(line).collect::<Vec<String>>().join("\n")
}
