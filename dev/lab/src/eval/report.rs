//! What an evaluation found.

use super::compare::{Compared, CountedBy, Tokens};
use crate::screen::{self, printable};
use serde::Serialize;
use std::fmt;
use tokenforge_engine::Mode;
use tokenforge_replay::columns::{TextColumn, TextTable};

/// What an evaluation found.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Where questions went.
    endpoint: String,
    /// The mock answered: this shows that all is connected, and nothing about a model.
    is_plumbing_only: bool,
    model: String,
    mode: &'static str,
    tokens: Option<Tokens>,
    saved: i64,
    regressions: usize,
    scenarios: Vec<Compared>,
}

/// How much must be saved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Demand {
    /// So many tokens.
    Tokens(u64),
    /// This part of them, in percent.
    Percent(f64),
}

impl Demand {
    /// `200` or `5%`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "expected a number of tokens, or a part such as 5%".to_owned();
        match text.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
                let is_part = (0.0..=100.0).contains(&percent);
                is_part.then_some(Demand::Percent(percent)).ok_or_else(wrong)
            }
            None => text.parse().map(Demand::Tokens).map_err(|_| wrong()),
        }
    }

    fn is_met(self, tokens: &Tokens) -> bool {
        let saved = tokens.off as f64 - tokens.on as f64;
        match self {
            Demand::Tokens(least) => saved >= least as f64,
            Demand::Percent(least) => saved * 100.0 >= least * tokens.off as f64,
        }
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Demand::Tokens(tokens) => write!(f, "{tokens} tokens"),
            Demand::Percent(percent) => write!(f, "{percent} %"),
        }
    }
}

impl Report {
    pub(super) fn new(
        endpoint: Option<&str>,
        model: &str,
        mode: Mode,
        scenarios: Vec<Compared>,
    ) -> Self {
        let tokens = sum(&scenarios);
        Report {
            endpoint: endpoint.map_or_else(|| "mock".to_owned(), without_credentials),
            is_plumbing_only: endpoint.is_none(),
            model: model.to_owned(),
            mode: mode.name(),
            tokens,
            saved: tokens.map_or(0, |tokens| tokens.off as i64 - tokens.on as i64),
            regressions: scenarios.iter().map(|scenario| scenario.regressions.len()).sum(),
            scenarios,
        }
    }

    /// Why the evaluation fails, if it does.
    pub(super) fn failures(&self, demand: Option<&Demand>) -> Vec<String> {
        let mut failures = Vec::new();
        if self.regressions > 0 {
            failures.push(format!("{} regressions", self.regressions));
        }
        if self.scenarios.iter().all(|scenario| scenario.is_void) {
            failures.push("no scenario worked without compression".to_owned());
        }
        let saved = self.saved;
        match (demand, &self.tokens) {
            (Some(demand), Some(tokens)) if !demand.is_met(tokens) => {
                failures.push(format!(
                    "{saved} input tokens saved of {}, at least {demand} demanded",
                    tokens.off
                ));
            }
            (Some(_), None) => failures.push("there are no token counts".to_owned()),
            _ => {}
        }
        failures
    }
}

/// An address without the name and password that may be in it.
fn without_credentials(url: &str) -> String {
    match url.split_once("://").map(|(scheme, rest)| (scheme, rest.split_once('@'))) {
        Some((scheme, Some((_, rest)))) => format!("{scheme}://{rest}"),
        _ => url.to_owned(),
    }
}

/// The tokens of all scenarios, if the same counted them all; else of those that we counted.
fn sum(scenarios: &[Compared]) -> Option<Tokens> {
    let all = || scenarios.iter().filter_map(|scenario| scenario.tokens);
    let counted_by = all().map(|tokens| tokens.counted_by).max()?;
    let counted = all().filter(|tokens| tokens.counted_by == counted_by);
    let (off, on) = counted.fold((0, 0), |(off, on), tokens| (off + tokens.off, on + tokens.on));
    Some(Tokens { off, on, counted_by })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { endpoint, model, mode, .. } = self;
        writeln!(f, "{endpoint}, {model}: compression off, and {mode}\n")?;
        if self.is_plumbing_only {
            let says = "A mock answered: this shows that everything is connected, and nothing about a model.";
            writeln!(f, "{}\n", screen::paragraph(says))?;
        }
        let titles = ["off", "on", "saved", "expansions"].map(TextColumn::number);
        let columns = [TextColumn::text("scenario")].into_iter().chain(titles);
        let mut table = TextTable::new(columns.chain([TextColumn::text("behaviour")]));
        for scenario in &self.scenarios {
            let [off, on, saved] = shown(scenario.tokens.as_ref());
            let behaviour = match scenario.regressions.len() {
                _ if scenario.is_void => "void".to_owned(),
                0 => "same".to_owned(),
                count => format!("{count} REGRESSIONS"),
            };
            let expansions = scenario.expansions.to_string();
            table.row([scenario.name.clone(), off, on, saved, expansions, behaviour]);
        }
        let [off, on, saved] = shown(self.tokens.as_ref());
        table.row(["all".to_owned(), off, on, saved]);
        writeln!(f, "{}", screen::table(&table))?;
        for scenario in &self.scenarios {
            let name = printable(&scenario.name);
            for text in &scenario.regressions {
                let says = format!("REGRESSION in {name}: {}", printable(text));
                writeln!(f, "{}", screen::wrap_text(&says, "", "  "))?;
            }
            for text in &scenario.notes {
                let says = format!("note on {name}: {}", printable(text));
                writeln!(f, "{}", screen::wrap_text(&says, "", "  "))?;
            }
        }
        match self.tokens.map(|tokens| tokens.counted_by) {
            Some(CountedBy::Provider) => {
                writeln!(f, "\nInput tokens as the provider reports them, expansions included.")
            }
            Some(CountedBy::OurCountOfToolResults) => {
                let says = "An estimate: the provider reports no usage. Tokens of tool results by our own count, \
                            expansions included.";
                writeln!(f, "\n{}", screen::paragraph(says))
            }
            None => writeln!(f, "\nNo token counts."),
        }
    }
}

fn shown(tokens: Option<&Tokens>) -> [String; 3] {
    let Some(Tokens { off, on, .. }) = tokens else { return Default::default() };
    let saved = 100.0 * (1.0 - *on as f64 / (*off).max(1) as f64);
    [off.to_string(), on.to_string(), format!("{saved:.1} %")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l10_no_password_is_shown() {
        assert_eq!(without_credentials("https://me:secret@host/v1"), "https://host/v1");
        assert_eq!(without_credentials("http://host"), "http://host");
    }

    #[test]
    fn a_demand_is_a_number_or_a_part() {
        assert_eq!(Demand::parse("200"), Ok(Demand::Tokens(200)));
        assert_eq!(Demand::parse("5%"), Ok(Demand::Percent(5.0)));
        for wrong in ["", "-1", "five", "101%", "%"] {
            assert!(Demand::parse(wrong).is_err(), "{wrong}");
        }
        let tokens = Tokens { off: 1000, on: 900, counted_by: CountedBy::Provider };
        assert!(Demand::Percent(10.0).is_met(&tokens) && !Demand::Tokens(101).is_met(&tokens));
    }
}
