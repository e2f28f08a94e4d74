//! The stages and the engine, seen from outside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod added_stage;
mod command;
mod csv;
mod dictionary;
mod diff_headers;
mod engine;
mod exact_files;
mod f16_families;
mod filter_laws;
mod fold;
mod golden;
mod html;
mod json_codecs;
mod laws;
mod listing;
mod model_class;
mod normalize;
mod numbers;
mod one_notation;
mod own_stage;
mod peers_failures;
mod printed_marks;
mod prompt;
mod recorded_outputs;
mod recorded_runs;
mod restore;
mod safe;
mod stage_faults;
mod stage_order;
mod templates;
mod wrapper;
