//! Filtering: which entries are meant, and which of their results.

use crate::group_by::reason;
use crate::{BoundedName, LedgerEntry, ResultOutcome};

/// Which entries are meant, and which of their results. The default is all of them.
///
/// ```
/// use tokenforge_ledger::{EntryFilter, EntrySource, LedgerEntry, ResultOutcome};
///
/// let mut entry = LedgerEntry::new(EntrySource::Gateway, 100);
/// entry.add(ResultOutcome::fresh("Bash", ["clean"], 10, 5));
/// let filter = EntryFilter { since: Some(50), tool: Some("Bash".into()), ..EntryFilter::default() };
/// assert!(filter.is_about(&entry) && filter.fits(&entry, &entry.results[0]));
/// assert!(!EntryFilter { text: Some("grep".into()), ..filter }.is_about(&entry));
/// ```
#[derive(Debug, Clone, Default)]
pub struct EntryFilter {
    /// From then on, in seconds since 1970.
    pub since: Option<u64>,
    /// Before then.
    pub until: Option<u64>,
    /// Of this client.
    pub client: Option<BoundedName>,
    /// Of this project.
    pub project: Option<BoundedName>,
    /// Of this model.
    pub model: Option<BoundedName>,
    /// Results of this tool.
    pub tool: Option<BoundedName>,
    /// Results that went on as they came for this reason.
    pub reason: Option<BoundedName>,
    /// Results with this in the name of their tool or of the program that a shell ran, in lower case.
    pub text: Option<String>,
}

impl EntryFilter {
    /// Is it about this entry, or about some of its results?
    #[must_use]
    pub fn is_about(&self, entry: &LedgerEntry) -> bool {
        let is = |wanted: &Option<BoundedName>, found: &Option<BoundedName>| {
            wanted.is_none() || wanted == found
        };
        self.since.is_none_or(|since| entry.time >= since)
            && self.until.is_none_or(|until| entry.time < until)
            && is(&self.client, &entry.client)
            && is(&self.project, &entry.project)
            && is(&self.model, &entry.model)
            && (!self.is_partial() || entry.results.iter().any(|result| self.fits(entry, result)))
    }

    /// Is it about these results of an entry that it is about?
    #[must_use]
    pub fn fits(&self, entry: &LedgerEntry, outcome: &ResultOutcome) -> bool {
        self.names(&outcome.tool, outcome.program.as_ref())
            && self.reason.as_ref().is_none_or(|why| why.as_str() == reason(entry, outcome))
    }

    /// Is it about results of this tool, and of this program that a shell ran?
    pub(crate) fn names(&self, tool: &BoundedName, program: Option<&BoundedName>) -> bool {
        let has = |text: &str, name: &BoundedName| name.as_str().to_lowercase().contains(text);
        self.tool.as_ref().is_none_or(|wanted| wanted == tool)
            && self.text.as_ref().is_none_or(|text| {
                has(text, tool) || program.is_some_and(|program| has(text, program))
            })
    }

    /// Does it choose among the results of an entry? What a whole request cost is then no answer.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.tool.is_some() || self.reason.is_some() || self.text.is_some()
    }
}
