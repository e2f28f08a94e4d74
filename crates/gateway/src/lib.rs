//! The server that stands between agents and their model providers.
