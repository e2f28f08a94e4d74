//! Bedrock Converse.
pub(super) type Converse = super::speech::Verbatim;
