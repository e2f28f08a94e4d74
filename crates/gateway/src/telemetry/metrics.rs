//! The figures as Prometheus reads them.

use super::counters::MetricCounters;
use std::fmt::{Display, Write};
use tokenforge_plugin::PluginMetrics;

/// All figures in the text format.
pub(super) fn text(
    counters: &MetricCounters,
    plugins: impl Iterator<Item = PluginMetrics>,
) -> String {
    let mut text = String::new();
    for (name, help, value) in counters.all() {
        family(&mut text, &format!("{name}_total"), help);
        let _ = writeln!(text, "tokenforge_{name}_total {value}");
    }
    let plugins: Vec<PluginMetrics> = plugins.collect();
    if !plugins.is_empty() {
        write_plugins(&mut text, &plugins);
    }
    text
}

fn write_plugins(text: &mut String, plugins: &[PluginMetrics]) {
    family(text, "plugin_calls_total", "Calls of plugins.");
    for metrics in plugins {
        sample(text, "plugin_calls_total", metrics, "", metrics.calls);
    }
    family(text, "plugin_terminations_total", "Requests that a plugin answered itself.");
    for metrics in plugins {
        sample(text, "plugin_terminations_total", metrics, "", metrics.terminations);
    }
    family(text, "plugin_failures_total", "Calls of plugins that went wrong, and were undone.");
    for metrics in plugins {
        let causes =
            [("error", metrics.errors), ("panic", metrics.panics), ("timeout", metrics.timeouts)];
        for (cause, count) in causes {
            let cause = format!(",cause=\"{cause}\"");
            sample(text, "plugin_failures_total", metrics, &cause, count);
        }
    }
    family(text, "plugin_seconds_total", "What calls of plugins took, waiting included.");
    for metrics in plugins {
        let seconds = metrics.nanoseconds as f64 / 1e9;
        sample(text, "plugin_seconds_total", metrics, "", seconds);
    }
}

fn family(text: &mut String, name: &str, help: &str) {
    let _ = writeln!(text, "# HELP tokenforge_{name} {help}");
    let _ = writeln!(text, "# TYPE tokenforge_{name} counter");
}

fn sample(text: &mut String, name: &str, of: &PluginMetrics, more: &str, value: impl Display) {
    let PluginMetrics { plugin, phase, .. } = of;
    let plugin = plugin.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let _ =
        writeln!(text, "tokenforge_{name}{{plugin=\"{plugin}\",phase=\"{phase}\"{more}}} {value}");
}
