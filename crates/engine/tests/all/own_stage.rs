//! Stages of the caller's own: the runner's guarantees hold for them as they do for ours.

use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{
    CompressedOutput, Engine, Fidelity, History, Mode, Output, Reference, Settings, Stage,
    StageContext, StageOutcome, StageOutput, TextLayer, Vault,
};

/// The beginning of every line of the texts below, which the stage leaves out or abbreviates.
const HOST: &str = "build-agent-07.eu-central-1.compute.internal";

/// A text for which our own stages find little to do: no two lines have a shape in common.
fn text() -> String {
    format!(
        "{HOST} cloned the sources\nafter that {HOST} compiled, with 3 warnings:\n\
         unused import, said {HOST}\n(twice) and {HOST}: gone\nno more of {HOST}!\n"
    )
}

/// What a stage does to a text, wrong or right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conduct {
    Abbreviates,
    Grows,
    DecodesOtherwise,
    PanicsWhenAsked,
    PanicsWriting,
    PanicsReading,
    PanicsComparing,
    WritesAnotherLayer,
}

/// A stage from outside of the engine.
struct OwnStage {
    conduct: Conduct,
    fidelity: Fidelity,
}

impl OwnStage {
    fn lossless(conduct: Conduct) -> Self {
        OwnStage { conduct, fidelity: Fidelity::Lossless }
    }
}

impl Stage for OwnStage {
    fn name(&self) -> &'static str {
        "host_names"
    }

    fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    fn is_for(&self, _: &StageContext<'_>) -> bool {
        assert_ne!(self.conduct, Conduct::PanicsWhenAsked, "a defect");
        true
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        let short = StageOutput::from(text.replace(HOST, "~"));
        match self.conduct {
            Conduct::PanicsWriting => panic!("a defect"),
            Conduct::Grows => Some(text.repeat(2).into()),
            Conduct::WritesAnotherLayer => Some(short.in_layer(TextLayer::Form)),
            _ => Some(short),
        }
    }

    fn decode(&self, text: &str) -> Option<String> {
        match self.conduct {
            Conduct::PanicsReading => panic!("a defect"),
            Conduct::DecodesOtherwise | Conduct::PanicsComparing => Some(text.to_owned()),
            _ => Some(text.replace('~', HOST)),
        }
    }

    fn canonical<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        assert_ne!(self.conduct, Conduct::PanicsComparing, "a defect");
        text.into()
    }
}

fn compress(engine: &Engine<'_>, text: &str) -> CompressedOutput {
    engine.compress(&Output::new("status", text), &History::default())
}

/// What came of the caller's own stage.
fn outcome(compressed: &CompressedOutput) -> Option<StageOutcome> {
    let own = compressed.steps.iter().find(|step| step.stage == "host_names");
    own.map(|step| step.outcome)
}

#[test]
fn an_own_stage_runs_beside_ours_and_is_in_the_record() {
    let (settings, stage) = (Settings::default(), OwnStage::lossless(Conduct::Abbreviates));
    let text = text();
    let compressed = compress(&Engine::new(&settings).with_stage(&stage), &text);
    assert_eq!(outcome(&compressed), Some(StageOutcome::Applied));
    assert_eq!(compressed.text(&text), text.replace(HOST, "~"));
    let (before, after) = compressed.tokens(&text, settings.counter);
    assert!(after < before, "{after} of {before}");
    assert_eq!(stage.decode(compressed.text(&text)).as_deref(), Some(&*text));
}

#[test]
fn l2_l3_l7_whatever_an_own_stage_does_wrong_costs_its_saving_and_nothing_else() {
    let settings = Settings::default();
    // There is something for our stages to do, too.
    let text = format!("{}\u{1b}[32mdone\u{1b}[0m and dusted   \n", text());
    let expected = compress(&Engine::new(&settings), &text);
    assert!(expected.replacement.is_some(), "{:?}", expected.verdict);
    for (conduct, refusal) in [
        (Conduct::Grows, StageOutcome::NotSmaller),
        (Conduct::DecodesOtherwise, StageOutcome::NotExact),
        (Conduct::WritesAnotherLayer, StageOutcome::NotFor),
        (Conduct::PanicsWhenAsked, StageOutcome::Panicked),
        (Conduct::PanicsWriting, StageOutcome::Panicked),
        (Conduct::PanicsReading, StageOutcome::Panicked),
        (Conduct::PanicsComparing, StageOutcome::Panicked),
    ] {
        let stage = OwnStage::lossless(conduct);
        let compressed = compress(&Engine::new(&settings).with_stage(&stage), &text);
        assert_eq!(outcome(&compressed), Some(refusal), "{conduct:?}");
        assert_eq!(compressed.text(&text), expected.text(&text), "{conduct:?}");
    }
}

#[test]
fn l2_an_own_stage_is_never_one_that_is_taken_however_large_its_text_is() {
    let settings = Settings::default();
    let text = format!("{}\u{1b}[32mdone\u{1b}[0m and dusted   \n", text());
    for conduct in [Conduct::Grows, Conduct::Abbreviates] {
        let stage = OwnStage { conduct, fidelity: Fidelity::Safety };
        let compressed = compress(&Engine::new(&settings).with_stage(&stage), &text);
        assert_eq!(outcome(&compressed), Some(StageOutcome::NotFor), "{conduct:?}");
        assert_eq!(compressed.text(&text), compress(&Engine::new(&settings), &text).text(&text));
    }
}

#[test]
fn what_an_own_stage_leaves_out_can_be_fetched_back() {
    let stage = OwnStage { conduct: Conduct::Abbreviates, fidelity: Fidelity::Reversible };
    let key = ReferenceSecret::from_secret("for the test");
    let text = text().repeat(20);
    for mode in Mode::ALL {
        let settings = Settings { mode, ..Settings::default() };
        let engine = Engine::new(&settings).with_stage(&stage);
        let compressed = compress(&engine, &text);
        assert_ne!(outcome(&compressed), Some(StageOutcome::Applied), "{mode}: there is no vault");
        let compressed = compress(&engine.with_vault(Vault::for_reader(&key)), &text);
        let leaves_out = matches!(mode, Mode::Standard | Mode::Aggressive);
        let original = compressed.original.as_ref().map(|original| original.text(&text));
        assert_eq!(original, leaves_out.then_some(&*text), "{mode}");
        let leading = Reference::leading(compressed.text(&text)).map(|(reference, _)| reference);
        assert_eq!(leading, compressed.original.map(|original| original.reference), "{mode}");
    }
}

#[test]
fn an_own_notation_takes_part_only_if_it_is_worth_its_legend() {
    struct Notation;
    impl Stage for Notation {
        fn name(&self) -> &'static str {
            "host_names"
        }

        fn fidelity(&self) -> Fidelity {
            Fidelity::Lossless
        }

        fn layer(&self) -> TextLayer {
            TextLayer::Notation
        }

        fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
            let text = format!("[Forge hosts: ~ is {HOST}]\n{}", text.replace(HOST, "~"));
            Some(StageOutput::from(text).in_layer(TextLayer::Notation))
        }

        fn decode(&self, text: &str) -> Option<String> {
            Some(text.split_once('\n')?.1.replace('~', HOST))
        }
    }
    let settings = Settings::default();
    let engine = Engine::new(&settings).with_stage(&Notation);
    let text = text();
    let compressed = compress(&engine, &text);
    assert_eq!(outcome(&compressed), Some(StageOutcome::Applied));
    assert_eq!(
        compressed.text(&text),
        format!("[Forge hosts: ~ is {HOST}]\n{}", text.replace(HOST, "~"))
    );
    // L6: what begins like this is known for one of ours.
    assert_eq!(compress(&engine, compressed.text(&text)).replacement, None);
    // A legend for one name is paid for nothing.
    let once = format!(
        "{HOST} cloned the sources, compiled them, ran all the tests and\nwent away without a further word, as it does every night at three\n"
    );
    assert_eq!(compress(&engine, &once).replacement, None);
}

#[test]
fn d23_engines_with_other_stages_have_other_fingerprints() {
    let (settings, stage) = (Settings::default(), OwnStage::lossless(Conduct::Abbreviates));
    let plain = Engine::new(&settings);
    let (one, two) = (plain.with_stage(&stage), plain.with_stage(&stage).with_stage(&stage));
    let prints = [plain.fingerprint(), one.fingerprint(), two.fingerprint()];
    assert!(prints[0] != prints[1] && prints[1] != prints[2], "{prints:x?}");
    // What was remembered before there were such stages is found by this.
    let known = [settings.fingerprint(), 0, 0].map(u64::to_le_bytes);
    assert_eq!(prints[0], xxhash_rust::xxh3::xxh3_64(known.as_flattened()));
}
