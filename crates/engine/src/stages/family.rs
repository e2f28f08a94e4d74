//! Filters of tool families: what the output of a known command can do without.

use crate::command::{CommandLine, MainCommand, PipeEffect, SimpleCommand};
use crate::fidelity::Fidelity;
use crate::filter::{Invocation, Run};
use crate::stage::{Stage, StageContext, StageOutput};

/// The filter of the family that the command belongs to.
pub(super) struct Family;

impl Stage for Family {
    fn name(&self) -> &'static str {
        "family"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Reversible
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let line = subject.context.command.as_ref();
        let main = line.and_then(CommandLine::main);
        let invocation = main.filter(|main| main.effect != PipeEffect::Changed).map(invocation_of);
        // Data is not what a filter leaves lines out of.
        if invocation.is_none() && text.trim_ascii_start().starts_with(['{', '[']) {
            return None;
        }
        // Of an unknown command all lines must be there, and none of them asked for: `build && git log`.
        let is_run = |line: &CommandLine| {
            line.all().all(|main| {
                main.effect == PipeEffect::Whole
                    && !subject.filters.is_asked_for(&invocation_of(main))
            })
        };
        let fallback = || line.filter(|line| is_run(line)).and_then(|_| subject.filters.fallback());
        let filter = subject.filters.find(invocation.as_ref(), text).or_else(fallback)?;
        let run = Run {
            is_failed: subject.context.is_error,
            is_script: line.is_some_and(CommandLine::runs_script),
        };
        Some(filter.apply_to_run(text, run)?.text.into())
    }
}

/// A command as far as filters look at it.
fn invocation_of(main: MainCommand<'_>) -> Invocation<'_> {
    let SimpleCommand { program, subcommand, args, .. } = main.command;
    Invocation { program, subcommand: subcommand.as_deref(), args }
}
