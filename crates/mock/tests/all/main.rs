//! The mock as its users see it: over a socket.

mod compressor;
mod control;
mod kit;
mod program;
mod recorded;
mod replies;
mod round_trip;
