//! Temporary.
use std::sync::Arc;
use tokenforge_config::Settings;
use tokenforge_gateway::{Gateway, serve};
use tokenforge_store::Memory;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test(flavor = "multi_thread")]
async fn smoke() {
    let upstream = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = upstream.local_addr().unwrap();
    let seen = tokio::spawn(async move {
        let (mut stream, _) = upstream.accept().await.unwrap();
        let mut buf = vec![0; 100_000];
        let mut n = 0;
        loop {
            n += stream.read(&mut buf[n..]).await.unwrap();
            if buf[..n].ends_with(b"}") {
                break;
            }
        }
        stream
            .write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
            )
            .await
            .unwrap();
        String::from_utf8_lossy(&buf[..n]).into_owned()
    });
    let mut settings = Settings::default();
    settings.upstreams.backend = Some(format!("http://{at}").parse().unwrap());
    let gateway = Gateway::new(settings, Arc::new(Memory::default()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = tokio::spawn(serve(gateway, listener, async {
        let _ = stopped.await;
    }));
    let rows: Vec<String> =
        (0..60).map(|n| format!("{{\\\"id\\\": {n}, \\\"name\\\": \\\"row {n}\\\"}}")).collect();
    let body = format!(
        r#"{{"model":"gpt-5","_forge":{{}},"messages":[{{"role":"assistant","tool_calls":[{{"id":"c1","type":"function","function":{{"name":"list","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c1","content":"[{}]"}}],"tools":[{{"type":"function","function":{{"name":"list"}}}}]}}"#,
        rows.join(", ")
    );
    let mut client = tokio::net::TcpStream::connect(port).await.unwrap();
    client.write_all(format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    println!("{answer}\n----\n{}", seen.await.unwrap());
    let _ = stop.send(());
    server.await.unwrap();
}
