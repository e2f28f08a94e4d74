//! `tokenforge setup`, `service` and `statusline`: an agent behind the gateway every day, and back.

mod agent;
mod service;
mod statusline;
mod user;
