//! TOON text to minified JSON.
