//! A module that was checked, and one call of it.

use crate::wasm::fault::Fault;
use crate::wasm::limits::Limits;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wasmi::{
    CompilationMode, Config, EnforcedLimits, Engine, Error, ExternType, Instance, Linker, Memory,
    Store, StoreLimits, StoreLimitsBuilder, TrapCode, TypedFunc, TypedResumableCall, WasmParams,
    WasmResults,
};

/// How much is computed before anybody looks whether it is still waited for: some milliseconds.
const SLICE: u64 = 2_000_000;

const LARGEST_MODULE: usize = 16 << 20;
const LARGEST_TABLE: usize = 100_000;

/// What can be asked of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// What it is, with these settings.
    Describe,
    /// What is to be done.
    Call,
}

/// A module that was checked and translated.
pub(crate) struct Module {
    module: wasmi::Module,
    limits: Limits,
}

impl Module {
    /// Checks and translates a module.
    pub(crate) fn new(wasm: &[u8], limits: Limits) -> Result<Self, Fault> {
        if wasm.len() > LARGEST_MODULE {
            return Err(Fault::Invalid(format!("it has more than {LARGEST_MODULE} bytes")));
        }
        let module = wasmi::Module::new(&engine(), wasm)
            .map_err(|error| Fault::Invalid(error.to_string()))?;
        if let Some(import) = module.imports().next() {
            let (module, name) = (import.module().to_owned(), import.name().to_owned());
            return Err(Fault::Imports { module, name });
        }
        if !matches!(module.get_export("memory"), Some(ExternType::Memory(_))) {
            return Err(Fault::Missing("a memory called `memory`"));
        }
        let module = Self { module, limits };
        // The types of its functions are known once there is an instance.
        Run::new(&module, &AtomicBool::new(false))?;
        Ok(module)
    }

    /// Asks a fresh instance. Blocks, until it answers, uses up what it may take, or is stopped.
    pub(crate) fn ask(
        &self,
        question: Question,
        message: &[u8],
        is_stopped: &AtomicBool,
    ) -> Result<Vec<u8>, Fault> {
        let mut run = Run::new(self, is_stopped)?;
        let length = i32::try_from(message.len())
            .map_err(|_| Fault::OutOfBounds("too little room for a message"))?;
        let alloc = run.alloc;
        let pointer = run.call(alloc, length)?;
        let room = run.memory.write(&mut run.store, pointer as u32 as usize, message);
        room.map_err(|_| Fault::OutOfBounds("room for a message"))?;
        let function = if question == Question::Call { run.call } else { run.describe };
        let answer = run.call(function, (pointer, length))?;
        let (start, length) = ((answer as u64 >> 32) as usize, answer as u32 as usize);
        let memory = run.memory.data(&run.store);
        let answer = start.checked_add(length).and_then(|end| memory.get(start..end));
        answer.map(<[u8]>::to_vec).ok_or(Fault::OutOfBounds("an answer"))
    }
}

/// No threads, no floating point that differs between machines, one small memory: what plugins need, and no more.
fn engine() -> Engine {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        .allow_start_fn(false)
        .ignore_custom_sections(true)
        .compilation_mode(CompilationMode::Eager)
        .enforced_limits(EnforcedLimits::strict())
        .wasm_multi_memory(false)
        .wasm_custom_page_sizes(false)
        .wasm_wide_arithmetic(false);
    Engine::new(&config)
}

/// An instance, and what it may still take.
struct Run<'s> {
    store: Store<StoreLimits>,
    memory: Memory,
    alloc: TypedFunc<i32, i32>,
    describe: TypedFunc<(i32, i32), i64>,
    call: TypedFunc<(i32, i32), i64>,
    fuel: u64,
    left: u64,
    is_stopped: &'s AtomicBool,
}

impl<'s> Run<'s> {
    fn new(module: &Module, is_stopped: &'s AtomicBool) -> Result<Self, Fault> {
        let Module { module, limits } = module;
        let bounds = StoreLimitsBuilder::new()
            .memory_size(limits.memory_bytes)
            .table_elements(LARGEST_TABLE)
            .instances(1)
            .memories(1)
            .build();
        let mut store = Store::new(module.engine(), bounds);
        store.limiter(|bounds| bounds);
        store.set_fuel(limits.fuel).map_err(|error| Fault::Invalid(error.to_string()))?;
        let instance = Linker::new(module.engine()).instantiate_and_start(&mut store, module);
        let instance = instance.map_err(|error| Fault::Invalid(error.to_string()))?;
        let memory = instance.get_memory(&store, "memory");
        Ok(Self {
            memory: memory.ok_or(Fault::Missing("a memory called `memory`"))?,
            alloc: exported(&instance, &store, "alloc", "`alloc` of type (i32) -> i32")?,
            describe: exported(
                &instance,
                &store,
                "describe",
                "`describe` of type (i32, i32) -> i64",
            )?,
            call: exported(&instance, &store, "call", "`call` of type (i32, i32) -> i64")?,
            fuel: limits.fuel,
            left: 0,
            store,
            is_stopped,
        })
    }

    /// Calls a function, slice by slice.
    fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        function: TypedFunc<P, R>,
        params: P,
    ) -> Result<R, Fault> {
        self.refuel(0)?;
        let mut call = function.call_resumable(&mut self.store, params);
        loop {
            match call.map_err(|error| self.fault(&error))? {
                TypedResumableCall::Finished(results) => return Ok(results),
                // There is no host function that could fail.
                TypedResumableCall::HostTrap(trap) => return Err(self.fault(trap.host_error())),
                TypedResumableCall::OutOfFuel(rest) => {
                    self.refuel(rest.required_fuel())?;
                    call = rest.resume(&mut self.store);
                }
            }
        }
    }

    /// Gives the next slice, which is at least what the next instruction needs.
    fn refuel(&mut self, required: u64) -> Result<(), Fault> {
        if self.is_stopped.load(Relaxed) {
            return Err(Fault::Stopped);
        }
        let left = self.left + self.store.get_fuel().unwrap_or(0);
        let slice = SLICE.max(required).min(left);
        if slice == 0 || slice < required {
            return Err(Fault::OutOfFuel(self.fuel));
        }
        self.left = left - slice;
        self.store.set_fuel(slice).map_err(|error| Fault::Invalid(error.to_string()))
    }

    fn fault(&self, error: &Error) -> Fault {
        match error.as_trap_code() {
            Some(TrapCode::OutOfFuel) => Fault::OutOfFuel(self.fuel),
            _ => Fault::Trap(error.to_string()),
        }
    }
}

fn exported<P: WasmParams, R: WasmResults>(
    instance: &Instance,
    store: &Store<StoreLimits>,
    name: &str,
    expected: &'static str,
) -> Result<TypedFunc<P, R>, Fault> {
    instance.get_typed_func(store, name).map_err(|_| Fault::Missing(expected))
}
