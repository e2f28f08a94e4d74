//! The servers that this program is too, when it is started with their name.

use super::passthrough::Passthrough;
use super::{tool_server, upstream};
use anyhow::Context;
use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

pub(crate) const UPSTREAM: &str = "serve-upstream";
pub(crate) const PASSTHROUGH: &str = "serve-passthrough";
pub(crate) const TOOLS: &str = "serve-tools";

/// Serves, if the arguments ask for it: a server's name, the address to listen on, the upstream's address.
pub(crate) fn serve(arguments: &[String]) -> Option<anyhow::Result<()>> {
    match arguments.first()?.as_str() {
        UPSTREAM => Some(serve_upstream(arguments)),
        PASSTHROUGH => Some(serve_passthrough(arguments)),
        TOOLS => Some(serve_tools(arguments)),
        _ => None,
    }
}

fn serve_upstream(arguments: &[String]) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(listen(address(arguments, 1)?, upstream::answer))
}

fn serve_tools(arguments: &[String]) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(listen(address(arguments, 1)?, tool_server::answer))
}

fn serve_passthrough(arguments: &[String]) -> anyhow::Result<()> {
    let passthrough = Passthrough::new(address(arguments, 2)?);
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let answer = move |request| passthrough.clone().answer(request);
    runtime.block_on(listen(address(arguments, 1)?, answer))
}

fn address(arguments: &[String], at: usize) -> anyhow::Result<SocketAddr> {
    Ok(arguments.get(at).context("an address is missing")?.parse()?)
}

async fn listen<A, F, B>(address: SocketAddr, answer: A) -> anyhow::Result<()>
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = anyhow::Result<Response<B>>> + Send + 'static,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    std::thread::spawn(end_with_input);
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service_fn(answer.clone());
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// The process that started this one holds the other end of its input: when that process ends, so does this one.
fn end_with_input() {
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    std::process::exit(0);
}
