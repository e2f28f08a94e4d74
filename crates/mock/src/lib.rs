//! A model provider for tests, demonstrations and benchmarks: it checks what it is sent as strictly as the real ones.
