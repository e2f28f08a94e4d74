//! A stage of one's own behind the engine's: `cargo run -p tokenforge-engine --example own_stage`.
//!
//! The engine holds it to the same as its own: the text is decoded and compared before it is taken, and never has more
//! tokens.

use tokenforge_engine::{
    Engine, Fidelity, History, Output, Settings, Stage, StageContext, StageOutput,
};

/// The domain that all our machines share.
struct OurDomain;

impl Stage for OurDomain {
    fn name(&self) -> &'static str {
        "our_domain"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        Some(text.replace(".eu-central-1.compute.internal", ".~").into())
    }

    fn decode(&self, text: &str) -> Option<String> {
        Some(text.replace(".~", ".eu-central-1.compute.internal"))
    }
}

fn main() {
    let settings = Settings::default();
    let engine = Engine::new(&settings).with_stage(&OurDomain);
    let text: String = (0..20)
        .map(|n| format!("host-{n}.eu-central-1.compute.internal has {n} errors\n"))
        .collect();
    let made = engine.compress(&Output::new("status", &text), &History::default());
    println!("{}", made.text(&text));
}
