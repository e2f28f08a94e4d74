//! The figures as Prometheus reads them.

use super::counters::Counters;
use std::fmt::Write;
use tokenforge_plugin::PluginMetrics;

/// All figures in the text format.
pub(super) fn text(counters: &Counters, plugins: impl Iterator<Item = PluginMetrics>) -> String {
    let mut text = String::new();
    for (name, help, value) in counters.all() {
        let _ = writeln!(text, "# HELP tokenforge_{name}_total {help}");
        let _ = writeln!(text, "# TYPE tokenforge_{name}_total counter");
        let _ = writeln!(text, "tokenforge_{name}_total {value}");
    }
    for (index, plugin) in plugins.enumerate() {
        if index == 0 {
            let _ = writeln!(text, "# HELP tokenforge_plugin_calls_total Calls of plugins.");
            let _ = writeln!(text, "# TYPE tokenforge_plugin_calls_total counter");
        }
        let PluginMetrics { plugin, phase, calls, .. } = &plugin;
        let _ = writeln!(
            text,
            "tokenforge_plugin_calls_total{{plugin=\"{plugin}\",phase=\"{phase}\"}} {calls}"
        );
    }
    text
}
