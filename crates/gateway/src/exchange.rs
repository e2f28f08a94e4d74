//! The request pipeline, from top to bottom.
//!
//! ```text
//! guard ─ PreAuth ─ who is it ─ PostAuth ─ read ─ PreUpstream ─ rewrite ─ forward ─ PostUpstream ─ relay
//! ```
//!
//! A request to a route goes the same way, but for the rewriting.

mod answer_plugins;
mod batch;
mod forge;
mod local_shell;
mod redaction;
mod request_body;
mod rewriting;
mod signing;

use crate::answer::{self, Problem};
use crate::aws::{RequestSigner, SignatureClaim};
use crate::detect::detect_api;
use crate::endpoints;
use crate::gateway::Gateway;
use crate::guard::GuardPolicy;
use crate::options;
use crate::paths;
use crate::project::{self, ClientPath};
use crate::relay;
use crate::route::ApiRoute;
use crate::state::GatewayState;
use crate::target::{TargetRefusal, UpstreamTarget};
use crate::usage_tap::TappedBody;
use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use request_body::BodyReader;
use rewriting::{OutgoingRequest, ResponsePath};
use std::sync::Arc;
use tokenforge_agents::Agent;
use tokenforge_conversation::RequestOptions;
use tokenforge_plugin::{Chain, Exchange, Outcome, Phase};
use tokenforge_providers::{Detection, Dialect};
use tokenforge_proxy::body::{Body, BodyTimeout};
use tokenforge_proxy::client_peer::ClientPeer;
use tokenforge_proxy::headers::{self, HEAD_BYTES};
use tokenforge_proxy::upstream::{Resend, UpstreamFailure};
use tokenforge_proxy::vary;

/// Where the client hears which provider was asked.
const PROVIDER: HeaderName = HeaderName::from_static("x-forge-provider");

/// Answers a request.
pub(crate) async fn serve(
    gateway: &Arc<Gateway>,
    request: Request<Incoming>,
    client: Arc<ClientPeer>,
) -> Response<TappedBody> {
    let (mut head, body) = request.into_parts();
    // Before anything is taken off it: that was signed, too.
    let signature = SignatureClaim::read(&head).map(Box::new);
    let ClientPath { project, shell_of } = project::take(&mut head.uri);
    let mut exchange = Exchange::new(head, client.remote());
    exchange.project = project;
    let state = gateway.state();
    let route = state.routes.of(exchange.request().uri.path());
    let traces = gateway.traces.as_ref();
    let span = traces.map(|traces| traces.begin(exchange.request(), route.as_deref()));
    if let Some(route) = &route {
        exchange.set_extensions(route.extensions());
    }
    let scope = RequestScope { state, gateway, client, route, shell_of, signature };
    let answer = match scope.pass_stages(&mut exchange, body).await {
        Ok(answer) => answer,
        Err(Stop::Answer(answer)) => answer.map(TappedBody::from),
        Err(Stop::Problem(problem)) => {
            scope.problem(&mut exchange, problem).await.map(TappedBody::from)
        }
    };
    if let (Some(traces), Some(span)) = (&scope.gateway.traces, span) {
        traces.end(span, answer.status(), answer.headers());
    }
    answer
}

/// One request in a gateway, under the settings of the moment it came.
struct RequestScope<'g> {
    gateway: &'g Arc<Gateway>,
    state: Arc<GatewayState>,
    client: Arc<ClientPeer>,
    /// It is not for a model's provider, but for this.
    route: Option<Arc<ApiRoute>>,
    /// It comes from this agent, whose shell runs on this machine, or says so.
    shell_of: Option<&'static Agent>,
    /// What it says about its AWS signature.
    signature: Option<Box<SignatureClaim>>,
}

/// Why a request does not go further.
enum Stop {
    /// It is answered.
    Answer(Box<Response<Body>>),
    /// Something is wrong with it, or with the upstream that should have answered.
    Problem(Problem),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Stop::Problem(problem)
    }
}

impl RequestScope<'_> {
    async fn pass_stages(
        &self,
        exchange: &mut Exchange,
        body: Incoming,
    ) -> Result<Response<TappedBody>, Stop> {
        if headers::has_two_lengths(&exchange.request().headers) {
            return Err(Problem::bad_request("the body has two lengths").into());
        }
        if headers::is_head_too_long(exchange.request()) {
            let message = format!("path and headers have more than {HEAD_BYTES} bytes");
            return Err(Problem::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message).into());
        }
        if exchange.request().method == Method::CONNECT {
            let message =
                "no tunnel leads through here: point the client's base URL at the gateway";
            return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, message).into());
        }
        self.guard().check(exchange)?;
        self.run(Phase::PreAuth, exchange).await?;
        // What is rare is in a box: every request has room for all that it may wait for.
        if paths::is_operators(exchange.request().uri.path()) {
            let answer = Box::pin(endpoints::answer_operator(self.gateway, exchange, body)).await;
            return Ok(answer.map(TappedBody::from));
        }
        self.authenticate(exchange)?;
        self.run(Phase::PostAuth, exchange).await?;
        if paths::is_tenants(exchange.request().uri.path()) {
            let answer = Box::pin(endpoints::answer_tenant(self.gateway, exchange, body)).await;
            return Ok(answer.map(TappedBody::from));
        }
        if headers::asks_for_upgrade(&exchange.request().headers) {
            // Clients that try a WebSocket first fall back to HTTP at once when they hear this.
            return Ok(answer::empty(StatusCode::UPGRADE_REQUIRED).map(TappedBody::from));
        }
        // What a request to a route says to us, it says to plugins.
        let (options, kind) = match self.route {
            Some(_) => (RequestOptions::default(), None),
            None => (
                options::of_headers(&exchange.request().headers)?,
                ModelRequest::of(exchange.request()),
            ),
        };
        let mut target = self.target(exchange, kind)?;
        let signing = self.signing(&target);
        let reader = match signing {
            Some(_) => BodyReader::Required,
            None => self.reader(exchange.request(), kind, &options),
        };
        let (mut payload, room) = self.read(exchange, body, reader).await?;
        let signer = match signing {
            Some(signing) => Box::pin(self.signer(exchange, payload.wire(), signing, kind)).await?,
            None => None,
        };
        if let Some(signer) = &signer {
            target.follow_region(&self.state.settings.upstreams, signer.region());
        }
        self.run_on_body(exchange, &mut payload).await?;
        let rewriting = match self.route {
            Some(_) => OutgoingRequest::untouched(payload.into_body()),
            None => {
                let checked = self.redact_payload(exchange, payload).await?;
                self.rewrite(exchange, checked, &options, &target.uri).await?
            }
        };
        drop(room);
        self.forward(exchange, target, rewriting, signer).await
    }

    /// What decides from where it may come.
    fn guard(&self) -> GuardPolicy<'_> {
        let GatewayState { keys, origin_rules, settings, adds_credentials, .. } = &*self.state;
        GuardPolicy {
            admin: &self.gateway.credentials.admin,
            keys,
            origin_rules,
            settings,
            client_token: &self.gateway.credentials.client_token,
            client: &self.client,
            is_for_route: self.route.is_some(),
            adds_credentials: *adds_credentials,
        }
    }

    /// Whose request it is.
    fn authenticate(&self, exchange: &mut Exchange) -> Result<(), Stop> {
        let may_show_token = self.guard().operator_need(exchange.request().uri.path()).is_some();
        let head = exchange.request_mut();
        // A token opens the guard, and is neither the tenant's credential nor the upstream's.
        self.gateway.credentials.client_token.take_from(&mut head.headers);
        if may_show_token {
            self.gateway.credentials.admin.take_token_from(&mut head.headers, &self.state.settings);
        }
        let tenant = self.state.keys.tenant(&mut head.headers, &mut head.uri);
        let Some(tenant) = tenant else {
            let message = "show a gateway key, in X-Forge-Key or in the place of the provider's";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, message).into());
        };
        exchange.tenant = Some(tenant);
        Ok(())
    }

    fn target(
        &self,
        exchange: &mut Exchange,
        kind: Option<ModelRequest>,
    ) -> Result<UpstreamTarget, Stop> {
        let head = exchange.request_mut();
        let path = head.uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| http::uri::PathAndQuery::from_static("/"));
        let upstreams = &self.state.settings.upstreams;
        let target = match &self.route {
            Some(route) => route.target(&path),
            None => {
                UpstreamTarget::of(upstreams, kind.map(|kind| kind.dialect), &path, &head.headers)
            }
        };
        options::remove_from(&mut head.headers);
        target.map_err(target_problem)
    }

    /// Sends the request on, and its answer back.
    async fn forward(
        &self,
        exchange: &mut Exchange,
        target: UpstreamTarget,
        rewriting: OutgoingRequest,
        signer: Option<Arc<RequestSigner>>,
    ) -> Result<Response<TappedBody>, Stop> {
        let mut request = Request::new(rewriting.body);
        *request.method_mut() = exchange.request().method.clone();
        *request.headers_mut() = self.take_headers(exchange);
        *request.uri_mut() = target.uri;
        headers::readdress(request.headers_mut());
        for (name, value) in &target.headers {
            request.headers_mut().insert(name, value.clone());
        }
        let mut path = rewriting.response_path;
        let is_relayed = matches!(path, ResponsePath::Relayed(_));
        if is_relayed {
            // An answer that must be read is requested uncompressed; one that is compressed all the same is decoded.
            let identity = HeaderValue::from_static("identity");
            request.headers_mut().insert(ACCEPT_ENCODING, identity);
        }
        let template = |request: &Request<Body>| {
            relay::RequestTemplate::of(request, target.is_guarded, signer.clone())
        };
        let shadow = rewriting.shadow.map(|sampled| sampled.addressed(template(&request)));
        let template = is_relayed.then(|| template(&request));
        if let Some(signer) = &signer {
            let signed = Box::pin(signer.sign(&mut request)).await;
            signed.ok_or_else(|| signing::unsigned("it cannot be signed again"))?;
        }
        let limits = &self.state.settings.limits;
        let first_byte = limits.first_byte_timeout;
        // What an API behind a route does may not be done twice.
        let resend = if self.route.is_some() { Resend::IfSafe } else { Resend::Always };
        let client = &self.gateway.client;
        let sent = client.send_as(&mut request, resend, target.is_guarded, first_byte);
        let answer = sent.await.map_err(upstream_problem)?;
        let (mut head, body) = answer.into_parts();
        headers::remove_hop_by_hop(&mut head.headers);
        if let Some(route) = &self.route {
            route.relocate(&mut head.headers, exchange.project.as_deref());
        }
        if head.status.is_success() {
            path.accept();
            if let Some(sample) = shadow {
                sample.start(self.gateway.shadow_asker());
            }
        }
        exchange.set_response(head);
        let varies_by = self.chain().varies_by(exchange);
        let timeout = BodyTimeout::idle(limits.idle_timeout);
        let body = match (path, template) {
            (ResponsePath::Relayed(context), Some(template))
                if context.is_for(exchange.response()) =>
            {
                let answer = relay::relay(
                    &self.gateway.relay,
                    &self.state,
                    context,
                    template,
                    exchange,
                    body,
                );
                TappedBody::from(answer.await.map_err(upstream_problem)?)
            }
            (ResponsePath::Plain(Some(metered)), _) => {
                let tap = metered.tap(exchange.response());
                TappedBody { body: Body::passing(body, timeout), tap }
            }
            _ => Body::passing(body, timeout).into(),
        };
        let body = self.run_on_answer(exchange, body).await?;
        let mut head = exchange.take_response().unwrap_or_else(|| Response::new(()).into_parts().0);
        for names in varies_by {
            vary::add_names(&mut head.headers, names);
        }
        for (name, value) in rewriting.headers {
            head.headers.insert(name, value);
        }
        if let Some(provider) = target.provider {
            head.headers.insert(PROVIDER, provider);
        }
        Ok(Response::from_parts(head, body))
    }

    /// The headers of the request, copied only if a plugin will want to see them again.
    fn take_headers(&self, exchange: &mut Exchange) -> HeaderMap {
        let later = [Phase::PostUpstream, Phase::OnError];
        if later.iter().all(|phase| self.chain().is_empty_for(*phase)) {
            std::mem::take(&mut exchange.request_mut().headers)
        } else {
            exchange.request().headers.clone()
        }
    }

    /// The plugins that this request meets.
    fn chain(&self) -> &Chain {
        self.state.chains.of(self.route.is_some())
    }

    /// Runs the plugins of a phase.
    async fn run(&self, phase: Phase, exchange: &mut Exchange) -> Result<(), Stop> {
        if !self.chain().concerns_any(phase, exchange) {
            return Ok(());
        }
        let outcome = Box::pin(self.chain().run(phase, exchange)).await;
        for failure in exchange.take_failures() {
            tracing::warn!("{failure}");
        }
        match outcome {
            Outcome::Continue => Ok(()),
            Outcome::Terminate(answer) => Err(Stop::Answer(Box::new(answer.map(Body::from)))),
        }
    }

    /// Something went wrong: the plugins may look at what the client will hear, and the client hears it.
    async fn problem(&self, exchange: &mut Exchange, problem: Problem) -> Response<Body> {
        self.gateway.telemetry.count_problem(&problem);
        let dialect = ModelRequest::of(exchange.request()).map(|kind| kind.dialect);
        let dialect = dialect.filter(|_| self.route.is_none());
        let answer = if paths::is_tools(exchange.request().uri.path()) {
            problem.answer_json_rpc()
        } else {
            problem.answer_bytes(dialect)
        };
        if self.chain().is_empty_for(Phase::OnError) {
            return answer.map(Body::from);
        }
        let (head, body) = answer.into_parts();
        exchange.set_response(head);
        exchange.set_response_body(body);
        match self.run(Phase::OnError, exchange).await {
            Err(Stop::Answer(answer)) => *answer,
            _ => {
                let body = exchange.take_response_body().unwrap_or_default();
                let head = exchange.take_response();
                let mut head = head.unwrap_or_else(|| Response::new(()).into_parts().0);
                head.headers.remove(CONTENT_LENGTH);
                Response::from_parts(head, body.into())
            }
        }
    }
}

/// What a request to a model is.
#[derive(Debug, Clone, Copy)]
struct ModelRequest {
    dialect: Dialect,
    /// Changed by one byte, it is refused.
    is_signed: bool,
}

impl ModelRequest {
    /// Nothing if it is none that we know.
    fn of(head: &Parts) -> Option<Self> {
        detect_api(head)
            .map(|Detection { dialect, is_signed, .. }| ModelRequest { dialect, is_signed })
    }
}

fn target_problem(refused: TargetRefusal) -> Stop {
    let status = match refused {
        TargetRefusal::NotAllowed(_) => StatusCode::FORBIDDEN,
        TargetRefusal::Unknown(..) | TargetRefusal::Foreign { .. } => StatusCode::NOT_FOUND,
        TargetRefusal::Path | TargetRefusal::TwoOwners(..) => StatusCode::BAD_REQUEST,
    };
    Problem::new(status, refused.to_string()).into()
}

fn upstream_problem(failure: UpstreamFailure) -> Stop {
    Problem::from(&failure).into()
}
