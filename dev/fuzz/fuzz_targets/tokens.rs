//! Early exits of token counting change no answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|texts: (&str, &str)| {
    tokenforge_laws::tokens::early_exit(texts.0, texts.1);
});
