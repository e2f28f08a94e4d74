//! What the engine promises of any output, in any mode.

use tokenforge_engine::internals::{json, progress, wrapper, wrapper::unescaped};
use tokenforge_engine::reference::{ExpandHint, Reference, ReferenceSecret};
use tokenforge_engine::{
    CompressedOutput, Engine, Fidelity, History, Mode, Output, Settings, StageStep, Vault,
    VaultAccess, Verdict, restore, terminal,
};

/// L2, L3, L4, L5 and L6 for one output in one mode: with a place for originals, with one that its reader cannot ask, and
/// without.
pub fn all(output: &Output<'_>, mode: Mode) {
    let settings = Settings { mode, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let bare = Engine::new(&settings).with_trace();
    let with_vault = bare.with_vault(Vault::for_reader(&key));
    let for_others = bare.with_vault(Vault { key: &key, access: VaultAccess::Others });
    for engine in [bare.clone(), with_vault] {
        let compressed = engine.compress(output, &History::default());
        never_worse(output, &compressed, &settings);
        lossless_is_lossless(&compressed);
        cosmetic_shows_the_same(&compressed);
        stable(output, &compressed, &engine);
        idempotent(output, &compressed, &engine);
        respects_its_mode(output, &compressed, mode);
    }
    can_be_restored(output, &bare);
    for engine in [bare, for_others] {
        let compressed = engine.compress(output, &History::default());
        let is_cap = |step: &StageStep| step.is_applied() && step.stage.starts_with("cap");
        let removed =
            applied(&compressed, Fidelity::Reversible) || compressed.steps.iter().any(is_cap);
        assert!(!removed, "something was left out with no way back: {:?}", compressed.steps);
    }
}

/// L6 between two who do not know each other's key: what a hook made of an output goes through a gateway as it is, alone
/// and with what Claude Code puts behind it; its reference with it.
pub fn handled_once(output: &Output<'_>, mode: Mode) {
    const REMINDER: &str =
        "\n\n<system-reminder>\n<total_tokens>99 tokens left</total_tokens>\n</system-reminder>";
    let keys = [7, 8].map(|byte| ReferenceSecret::from_bytes([byte; 32]));
    let vault = |at: usize| Vault::for_reader(&keys[at]);
    let hinted = Settings { mode, expand_hint: Some(ExpandHint::Command), ..Settings::default() };
    let hook = Engine::new(&hinted).with_vault(vault(0));
    let compressed = hook.compress(output, &History::default());
    let Some(shown) = &compressed.replacement else { return };
    let settings = Settings { mode, ..Settings::default() };
    let gateway = Engine::new(&settings).with_vault(vault(1));
    for text in [shown.clone(), format!("{}{REMINDER}", shown.trim_end())] {
        let again = gateway.compress(&Output { text: &text, ..*output }, &History::default());
        assert_eq!(again.text(&text), text, "by {:?}", stages(&again));
        assert_eq!(again.original, None);
        let reference = compressed.original.as_ref().map(|original| original.reference);
        assert_eq!(Reference::leading(&text).map(|(reference, _)| reference), reference);
    }
}

/// L2: a replacement has fewer tokens and no more bytes. Safety stages are the one exception.
fn never_worse(output: &Output<'_>, compressed: &CompressedOutput, settings: &Settings) {
    let is_safety = applied(compressed, Fidelity::Safety) || !compressed.redacted.is_empty();
    let text = compressed.text(output.text);
    if text == output.text || is_safety {
        return;
    }
    let (before, after) = (settings.counter.count(output.text), settings.counter.count(text));
    assert!(after < before, "{before} tokens became {after}: {text:?}");
    assert!(text.len() <= output.text.len(), "more bytes: {text:?}");
}

/// L3: what a lossless stage wrote decodes to what it was given.
fn lossless_is_lossless(compressed: &CompressedOutput) {
    for step in &compressed.steps {
        assert_ne!(
            step.restores(),
            Some(false),
            "{} does not restore {:?}",
            step.stage,
            step.texts
        );
    }
}

/// D9: what a mode that leaves nothing out wrote is restored by what we ship, but for what is cosmetic.
fn can_be_restored(output: &Output<'_>, engine: &Engine<'_>) {
    let compressed = engine.compress(output, &History::default());
    let Some(written) = &compressed.replacement else { return };
    if applied(&compressed, Fidelity::Safety) || !compressed.redacted.is_empty() {
        return;
    }
    // What the call said itself is all that it can point to.
    let resolved = History::default().resolve(written, output.arguments);
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}: {written:?}"));
    let restored = restore(&resolved).unwrap_or_else(|error| panic!("{error}: {written:?}"));
    if applied(&compressed, Fidelity::Cosmetic) {
        assert_eq!(shown(&restored), shown(&minified(output.text, &compressed)), "{written:?}");
    } else if restored != output.text {
        assert_eq!(restored, minified(output.text, &compressed), "{written:?}");
    }
}

/// The text with its JSON as the stages that read it give it back.
fn minified(text: &str, compressed: &CompressedOutput) -> String {
    let has = |name: &str| stages(compressed).contains(&name);
    let parts = wrapper::unwrap(text);
    let minify = |payload: &str| -> String {
        match () {
            () if has("json") || has("nested_json") => json::minify(payload).into_owned(),
            () if has("json_lines") => json::lines::minify(payload).into_owned(),
            () if has("truncated_json") => json::truncated::minify(payload).into_owned(),
            () if has("embedded_json") => json::embedded::minify(payload).into_owned(),
            () => payload.to_owned(),
        }
    };
    let minified = parts.rewrap(&parts.payloads().map(minify).collect::<Vec<_>>());
    if has("unescaped_strings") { unescaped::minify(&minified).into_owned() } else { minified }
}

/// Decision 17: a terminal shows what it showed before a cosmetic stage, line by line, but for blanks.
fn cosmetic_shows_the_same(compressed: &CompressedOutput) {
    for step in compressed.steps.iter().filter(|step| step.fidelity == Fidelity::Cosmetic) {
        let Some((before, after)) = step.texts.as_deref().filter(|_| step.is_applied()) else {
            continue;
        };
        assert_eq!(shown(after), shown(before), "{} changed what is shown", step.stage);
    }
}

/// What a terminal shows of each line. A reader does not see whether lines at the end are blank or missing.
fn shown(text: &str) -> Vec<String> {
    let settled = progress::settle(text);
    let text = settled.as_deref().unwrap_or(text);
    let stripped = terminal::strip(text);
    let lines = stripped.as_deref().unwrap_or(text).lines();
    let mut lines: Vec<String> =
        lines.map(|line| line.chars().filter(|c| !c.is_whitespace()).collect()).collect();
    while lines.pop_if(|line| line.is_empty()).is_some() {}
    lines
}

/// L5: the same output becomes the same text again.
fn stable(output: &Output<'_>, compressed: &CompressedOutput, engine: &Engine<'_>) {
    let again = engine.compress(output, &History::default());
    assert_eq!(again.text(output.text), compressed.text(output.text));
}

/// L6: compressing what was compressed changes nothing.
fn idempotent(output: &Output<'_>, compressed: &CompressedOutput, engine: &Engine<'_>) {
    let once = compressed.text(output.text);
    let twice = engine.compress(&Output { text: once, ..*output }, &History::default());
    assert_eq!(twice.text(once), once, "by {:?}", stages(&twice));
}

fn respects_its_mode(output: &Output<'_>, compressed: &CompressedOutput, mode: Mode) {
    match mode {
        Mode::Disabled | Mode::Observe => {
            assert_eq!(compressed.text(output.text), output.text);
            assert!(matches!(compressed.verdict, Verdict::Kept(_)));
        }
        Mode::Lossless => {
            assert_eq!(compressed.original, None, "lossless left something out");
            assert!(!applied(compressed, Fidelity::Safety) && compressed.redacted.is_empty());
        }
        Mode::Safe | Mode::Standard | Mode::Aggressive => {}
    }
}

fn applied(compressed: &CompressedOutput, fidelity: Fidelity) -> bool {
    compressed.steps.iter().any(|step| step.is_applied() && step.fidelity == fidelity)
}

fn stages(compressed: &CompressedOutput) -> Vec<&'static str> {
    compressed.steps.iter().filter(|step| step.is_applied()).map(|step| step.stage).collect()
}
