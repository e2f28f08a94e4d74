//! The configuration of a gateway: its settings of the moment, and how they are changed.

use crate::chains::PluginChains;
use crate::holds::ActiveHolds;
use crate::state::GatewayState;
use arc_swap::ArcSwap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokenforge_config::{Origins, Settings};
use tokenforge_plugin::{ConfigError, Registry};
use tokio::sync::watch;

/// The settings of the moment, and how they are changed.
pub(crate) struct Configuration {
    state: Arc<ArcSwap<GatewayState>>,
    /// Where the settings have their values from.
    origins: Mutex<Origins>,
    /// Held while settings or holds are changed: each begins with what is there.
    changing: Mutex<()>,
    /// Told when there are other settings.
    changes: watch::Sender<()>,
    /// The plugins that settings can ask for.
    registry: Registry,
}

impl Configuration {
    /// # Errors
    /// A plugin that does not exist, or that cannot work with its settings.
    pub(crate) fn new(
        settings: Settings,
        holds: ActiveHolds,
        registry: Registry,
    ) -> Result<Self, ConfigError> {
        let state = GatewayState::new(settings, &registry, &PluginChains::default())?;
        Ok(Configuration {
            state: Arc::new(ArcSwap::from_pointee(state.with_holds(holds))),
            origins: Mutex::default(),
            changing: Mutex::default(),
            changes: watch::Sender::default(),
            registry,
        })
    }

    /// The state with the present settings, shared: a reader that keeps this sees every later change.
    pub(crate) fn shared(&self) -> &Arc<ArcSwap<GatewayState>> {
        &self.state
    }

    /// The settings as they are now.
    pub(crate) fn state(&self) -> Arc<GatewayState> {
        self.state.load_full()
    }

    /// Keeps others from changing them, for as long as this is held.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What other settings would be.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn prepare(
        &self,
        mut settings: Settings,
        holds: ActiveHolds,
    ) -> Result<GatewayState, ConfigError> {
        // The address stays until a restart, and what depends on it too: whose texts may be kept.
        settings.listen = self.state.load().settings.listen;
        let state = GatewayState::new(settings, &self.registry, &self.state.load().chains)?;
        Ok(state.with_holds(holds))
    }

    /// From now on these are the settings.
    pub(crate) fn replace(&self, state: GatewayState) {
        self.state.store(Arc::new(state));
        self.changes.send_replace(());
    }

    /// Is told whenever there are other settings.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Says where the settings have their values from.
    pub(crate) fn set_origins(&self, origins: Origins) {
        *self.origins.lock().unwrap_or_else(PoisonError::into_inner) = origins;
    }

    /// Where the settings have their values from.
    pub(crate) fn origins(&self) -> Origins {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
