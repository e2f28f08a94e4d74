//! Settings as they are written in tokenforge.yaml, the environment and flags, and as they are meant.
