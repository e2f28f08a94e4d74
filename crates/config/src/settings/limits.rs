//! Bounds on work, memory and waiting.

use std::time::Duration;

/// Bounds on work, memory and waiting. The first five can be set; the rest are fixed for users, and fields for tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How long an upstream may take to its first byte: a model may think for minutes.
    pub first_byte_timeout: Duration,
    /// How long a client may take no byte of its answer while some wait for it.
    pub write_timeout: Duration,
    /// Answers that have to be read whole pass on unread above this many bytes, as they came or decoded.
    pub max_answer_bytes: usize,
    /// How many bytes the caches take that spare work: what was made of results, and what was read of conversations.
    pub cache_bytes: usize,
    /// How many sessions that requests name are remembered.
    pub cached_sessions: usize,

    /// How long a connection is kept open between two requests.
    pub keep_alive_timeout: Duration,
    /// How long an upstream may be silent in mid-stream.
    pub idle_timeout: Duration,
    /// Request bodies above this many bytes are not looked into.
    pub max_body_bytes: usize,
    /// How long requests in flight may go on after a stop was asked for.
    pub drain_timeout: Duration,
    /// How many clients may be connected at once.
    pub max_connections: usize,
    /// Compressed request bodies that decode to more bytes than this are not looked into.
    pub max_decoded_bytes: usize,
    /// Nor those that decode to more than so many times their bytes, where that is more than a megabyte.
    pub max_decoding_ratio: usize,
    /// How many bytes of request bodies may be in memory to be looked into, in all; one tenant has at most half of that.
    pub max_work_bytes: usize,
    /// How long connecting to an upstream may take.
    pub connect_timeout: Duration,
    /// How long a client may take to send a request's headers.
    pub header_timeout: Duration,
    /// How long a client may take to send a body that must be read.
    pub body_timeout: Duration,
    /// How long a client may send nothing of a body that it began.
    pub body_idle_timeout: Duration,
    /// How many idle connections are kept to each upstream.
    pub upstream_connections: usize,
    /// How many threads compress; 0 is as many as there are cores.
    pub compression_threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            first_byte_timeout: Duration::from_secs(600),
            write_timeout: Duration::from_secs(120),
            max_answer_bytes: 16 << 20,
            cache_bytes: 64 << 20,
            cached_sessions: 256,
            keep_alive_timeout: Duration::from_secs(75),
            idle_timeout: Duration::from_secs(300),
            max_body_bytes: 32 << 20,
            drain_timeout: Duration::from_secs(30),
            max_connections: 10_000,
            max_decoded_bytes: 32 << 20,
            max_decoding_ratio: 100,
            max_work_bytes: 64 << 20,
            connect_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(120),
            body_idle_timeout: Duration::from_secs(30),
            upstream_connections: 64,
            compression_threads: 0,
        }
    }
}
