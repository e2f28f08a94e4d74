# What one does every day: `just` lists it. Nothing here is needed; every line can be typed.

_default:
    @just --list --unsorted

# unit, property, contract and command-line tests; `just test -p tokenforge-formats` for one crate
test *arguments="--workspace --exclude tokenforge-bench":
    cargo test {{ arguments }} --lib --bins --tests

# what every change must pass, as CI runs it
test-quick:
    ./test

# everything
test-all:
    ./test all

# format, clippy, documentation
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy -p tokenforge --features wasm -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# format the code
fmt:
    cargo fmt --all

# run every command of the documentation; `just docs docs/mcp.md` for one page
docs *pages:
    tests/docs/test {{ pages }}

# measure speed and tokens, and rewrite dev/bench/RESULTS.md
bench:
    cargo run --release -p tokenforge-bench

# run the proof suite on a release build; `just proof 9 22` for some rows
proof *rows:
    cargo build --release -p tokenforge -p tokenforge-bench --features tokenforge/jemalloc
    cargo run --release -p tokenforge-bench --bin proof -- {{ rows }}

# fuzz every target for so many seconds; `just fuzz 600 toon_decode` for one
fuzz seconds="60" *targets:
    dev/fuzz/run {{ seconds }} {{ targets }}

# check licences, advisories and sources of dependencies (cargo install cargo-deny)
deny:
    cargo deny check

# play a recorded session: no key, no network
demo:
    cargo run -- demo
