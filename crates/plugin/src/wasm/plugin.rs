//! A module as a plugin.

use crate::wasm::apply;
use crate::wasm::fault::Fault;
use crate::wasm::limits::Limits;
use crate::wasm::message::{Description, PluginReply};
use crate::wasm::module::{Module, Question};
use crate::{BodyNeed, BoxFuture, Context, Error, Flow, Phase, Phases, Plugin};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tokio::sync::Semaphore;

/// A plugin that is a WebAssembly module.
pub struct WasmPlugin {
    module: Arc<Module>,
    name: String,
    phases: Vec<(Phase, usize)>,
    settings: Value,
    /// How many calls may compute at the same time: what is over waits, and memory is bounded.
    places: Arc<Semaphore>,
}

impl WasmPlugin {
    /// Makes a plugin of a module in its binary form.
    ///
    /// # Errors
    /// The module cannot be used, or does not take these settings.
    pub fn new(wasm: &[u8], limits: Limits, settings: Value) -> Result<Self, Fault> {
        let module = Module::new(wasm, limits)?;
        let never = AtomicBool::new(false);
        let answer = module.ask(Question::Describe, settings.to_string().as_bytes(), &never)?;
        let Description { name, phases, .. } = Description::read(&answer)?;
        let phases = phases.into_iter().map(|(phase, up_to)| Ok((named(&phase)?, up_to)));
        let phases = phases.collect::<Result<_, _>>()?;
        let places = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            module: Arc::new(module),
            name,
            phases,
            settings,
            places: Arc::new(Semaphore::new(places)),
        })
    }

    /// Asks the module on a thread that may block. A caller that stops waiting stops the module too.
    async fn ask(&self, message: Vec<u8>) -> Result<Vec<u8>, Error> {
        let place = Arc::clone(&self.places).acquire_owned().await?;
        let module = Arc::clone(&self.module);
        let is_stopped = Arc::new(AtomicBool::new(false));
        let _stop = StopOnDrop(Arc::clone(&is_stopped));
        let asking = tokio::task::spawn_blocking(move || {
            let _place = place;
            module.ask(Question::Call, &message, &is_stopped)
        });
        Ok(asking.await.map_err(|_| Fault::Trap("the interpreter panicked".to_owned()))??)
    }
}

impl Plugin for WasmPlugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn phases(&self) -> Phases {
        self.phases.iter().fold(Phases::NONE, |phases, (phase, _)| phases | *phase)
    }

    fn body(&self, phase: Phase) -> BodyNeed {
        match self.phases.iter().find(|(known, _)| *known == phase) {
            Some(&(_, up_to)) if up_to > 0 => BodyNeed::Buffered { up_to },
            _ => BodyNeed::None,
        }
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            let answer = self.ask(apply::message(&context, &self.settings)).await?;
            let (reply, body) = PluginReply::read(&answer)?;
            apply::apply(&mut context, reply, body)
        })
    }
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn named(name: &str) -> Result<Phase, Fault> {
    let phase = Phase::ALL.iter().copied().find(|phase| phase.name() == name);
    phase.ok_or_else(|| {
        let known = Phase::ALL.iter().map(|phase| phase.name()).collect::<Vec<_>>().join(", ");
        Fault::Unreadable {
            to: "describe",
            problem: format!("`phases` names one that is none of {known}"),
        }
    })
}
