//! The cost of a route on which no client asks for another form.

use super::contender::{Contender, take_turns};
use super::conversation::{Dialect, News, SyntheticConversation};
use super::process::ServerProcess;
use super::promises::Promises;
use super::results::ToolResult;
use super::{ContenderField, MeasurePlan, lesser};
use std::sync::Arc;

/// A route on which no client asks for another form, against the passthrough.
pub(crate) async fn measure(
    fields: &[ContenderField],
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    // A process ends when it is dropped.
    let (mut gateways, mut lineups) = (Vec::new(), Vec::new());
    for field in fields {
        let upstream = field.upstream.address;
        let settings = format!("routes: {{/v1: {{url: \"http://{upstream}/v1\"}}}}\n");
        let gateway = ServerProcess::gateway_with(&field.program, upstream, &settings).await?;
        lineups.push(vec![
            Contender::new("passthrough", &field.passthrough, News::Nothing),
            Contender::new("route", &gateway, News::Nothing),
        ]);
        gateways.push(gateway);
    }
    let mut least = f64::INFINITY;
    for (bytes, size) in [(2_000, "2 KB"), (100_000, "100 KB")] {
        let conversation =
            SyntheticConversation::new(Dialect::Chat, bytes, ToolResult::service_log);
        let conversation = Arc::new(conversation);
        for connections in [1, 16] {
            eprintln!("route, {size}, {connections} connections");
            let figures = take_turns(&lineups, &conversation, connections, plan).await?;
            let part = 100.0 * figures[1].rate_against(&figures[0]);
            least = lesser(least, part);
        }
    }
    let what = "a route that is asked for no form: the least of 4";
    promises.at_least(what, 90.0, least, "% of the passthrough's requests/s");
    Ok(())
}
