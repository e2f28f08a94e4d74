//! Plugins made of closures, and requests for them.

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use std::sync::{Arc, Mutex};
use tokenforge_plugin::{
    BodyNeed, BoxFuture, Chain, Context, Error, ErrorPolicy, Exchange, Flow, Outcome, Phase,
    Phases, Placement, Plugin, ToolId,
};

/// What a call gives.
pub(crate) type Call<'a> = BoxFuture<'a, Result<Flow, Error>>;

type Script = Box<dyn for<'a> Fn(Context<'a>) -> Call<'a> + Send + Sync>;

/// A plugin that does what a closure says.
pub(crate) struct Scripted {
    name: String,
    phases: Phases,
    need: BodyNeed,
    is_wanted: fn(&Context<'_>) -> bool,
    is_concerned: fn(&Context<'_>) -> bool,
    varies_by: fn(&Context<'_>) -> Option<HeaderValue>,
    encodes: bool,
    script: Script,
}

impl Scripted {
    pub(crate) fn new(
        name: impl Into<String>,
        phases: impl Into<Phases>,
        script: impl for<'a> Fn(Context<'a>) -> Call<'a> + Send + Sync + 'static,
    ) -> Self {
        let (name, phases) = (name.into(), phases.into());
        let (need, script) = (BodyNeed::None, Box::new(script));
        let always: fn(&Context<'_>) -> bool = |_| true;
        let (is_wanted, is_concerned) = (always, always);
        let varies_by: fn(&Context<'_>) -> Option<HeaderValue> = |_| None;
        Self { name, phases, need, is_wanted, is_concerned, varies_by, encodes: false, script }
    }

    pub(crate) fn needing(self, up_to: usize) -> Self {
        Self { need: BodyNeed::Buffered { up_to }, ..self }
    }

    pub(crate) fn only_if(self, is_wanted: fn(&Context<'_>) -> bool) -> Self {
        Self { is_wanted, ..self }
    }

    pub(crate) fn concerned_if(self, is_concerned: fn(&Context<'_>) -> bool) -> Self {
        Self { is_concerned, ..self }
    }

    pub(crate) fn varying_by(self, varies_by: fn(&Context<'_>) -> Option<HeaderValue>) -> Self {
        Self { varies_by, ..self }
    }

    pub(crate) fn encoding(self) -> Self {
        Self { encodes: true, ..self }
    }
}

impl Plugin for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn phases(&self) -> Phases {
        self.phases
    }

    fn body(&self, _: Phase) -> BodyNeed {
        self.need
    }

    fn wants_body(&self, context: &Context<'_>) -> bool {
        (self.is_wanted)(context)
    }

    fn is_concerned(&self, context: &Context<'_>) -> bool {
        (self.is_concerned)(context)
    }

    fn varies_by(&self, context: &Context<'_>) -> Option<HeaderValue> {
        (self.varies_by)(context)
    }

    fn encodes(&self) -> bool {
        self.encodes
    }

    fn call<'a>(&'a self, context: Context<'a>) -> Call<'a> {
        (self.script)(context)
    }
}

/// Where plugins write down that they were called.
#[derive(Clone, Default)]
pub(crate) struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    pub(crate) fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A plugin that writes its name down, and then does as told.
    pub(crate) fn writer(
        &self,
        name: &str,
        phases: impl Into<Phases>,
        flow: fn() -> Flow,
    ) -> Scripted {
        let (diary, line) = (self.clone(), name.to_owned());
        Scripted::new(name, phases, move |_| {
            diary.write(line.clone());
            Box::pin(async move { Ok(flow()) })
        })
    }
}

/// A chain of plugins, all in the default place.
pub(crate) fn chain(plugins: impl IntoIterator<Item = Scripted>) -> Chain {
    Chain::new(plugins.into_iter().map(|plugin| (arc(plugin), Placement::default())).collect())
}

/// A chain of one plugin.
pub(crate) fn chain_of(plugin: Arc<dyn Plugin>, on_error: ErrorPolicy) -> Chain {
    Chain::new(vec![(plugin, Placement { on_error, ..Placement::default() })])
}

pub(crate) fn arc(plugin: Scripted) -> Arc<dyn Plugin> {
    Arc::new(plugin)
}

/// A request, its response and a tool call, complete.
pub(crate) fn exchange() -> Exchange {
    let request = Request::post("/v1/messages").header("x-from", "client").body(()).unwrap();
    let exchange = Exchange::new(request.into_parts().0, ([127, 0, 0, 1], 50_000).into());
    let mut exchange = exchange.of_tool(ToolId::new("files", "read"));
    exchange.set_tool_arguments(r#"{"path":"a"}"#.into());
    exchange.set_tool_result(r#"{"content":[]}"#.into());
    exchange.set_request_body("question".into());
    let response = Response::builder().header("x-from", "upstream").body(()).unwrap();
    exchange.set_response(response.into_parts().0);
    exchange.set_response_body("answer".into());
    exchange
}

/// The response that ended the request, if one did.
pub(crate) fn termination(outcome: Outcome) -> Option<Response<Bytes>> {
    match outcome {
        Outcome::Continue => None,
        Outcome::Terminate(response) => Some(response),
    }
}

/// A response of the plugin's own.
pub(crate) fn no() -> Flow {
    Flow::Terminate(Response::new("no".into()))
}
