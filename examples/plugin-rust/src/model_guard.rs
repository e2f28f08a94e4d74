//! `model-guard`: requests go to certain models only.

use schemars::JsonSchema;
use serde::Deserialize;
use tokenforge_plugin::{
    BodyNeed, BoxFuture, Context, Error, Factory, Flow, Phase, Phases, Plugin,
};

/// What the settings say. Keys that are not here stop the start of the gateway.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The models that may be asked, by how their names begin.
    allow: Vec<String>,
}

/// What the plugin reads of a request. There is more in it.
#[derive(Deserialize)]
struct Request {
    model: String,
}

/// Makes the plugin from its settings.
pub fn factory() -> impl Factory {
    tokenforge_plugin::factory("model-guard", |settings: Settings| Ok(ModelGuard(settings)))
}

struct ModelGuard(Settings);

impl Plugin for ModelGuard {
    fn name(&self) -> &str {
        "model-guard"
    }

    fn phases(&self) -> Phases {
        Phase::PreUpstream.into()
    }

    /// Without this the body would stream by.
    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: 32 << 20 }
    }

    fn call<'a>(&'a self, context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            // What names no model is none of our business.
            let Ok(request) = serde_json::from_slice::<Request>(context.request_body()?) else {
                return Ok(Flow::Continue);
            };
            if self.0.allow.iter().any(|start| request.model.starts_with(start)) {
                return Ok(Flow::Continue);
            }
            let message = format!("{} is not a model for this gateway", request.model);
            let body =
                serde_json::json!({ "error": { "type": "model_guard", "message": message } });
            let response =
                http::Response::builder().status(403).header("content-type", "application/json");
            Ok(Flow::Terminate(response.body(body.to_string().into())?))
        })
    }
}
