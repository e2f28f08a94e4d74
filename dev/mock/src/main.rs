//! The mock as a program: `tokenforge-mock --listen 127.0.0.1:9000 --script replies.json`.
//!
//! It prints one line, `{"url":"http://127.0.0.1:9000"}`, and answers until it is killed.

use std::error::Error;
use std::io::Write as _;
use std::net::SocketAddr;
use tokenforge_mock::{AwsKey, Mock, read_script, rules};

const HELP: &str = "tokenforge-mock [--listen ADDRESS] [--script FILE] [--careless] [--rules] [--aws-key ID:SECRET]

  --listen ADDRESS   where to listen (127.0.0.1:0, a free port)
  --script FILE      replies as JSON, one for each question; then it says \"ok\"
  --careless         neither check nor record what comes, for benchmarks
  --aws-key KEY      ID:SECRET or ID:SECRET:TOKEN: what requests to Bedrock must be signed with
  --rules            list what is refused, and whether the provider documents it

GET /_mock/requests shows what came, DELETE /_mock/requests forgets it, POST /_mock/replies queues replies.";

fn main() -> Result<(), Box<dyn Error>> {
    let mut listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut replies = Vec::new();
    let mut is_careless = false;
    let mut aws_key = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--listen" => listen = value()?.parse()?,
            "--script" => replies = read_script(&std::fs::read(value()?)?)?,
            "--careless" => is_careless = true,
            "--aws-key" => aws_key = Some(read_key(&value()?)?),
            "--rules" => return list_rules(),
            "--help" | "-h" => return Ok(writeln!(std::io::stdout(), "{HELP}")?),
            other => return Err(format!("{other} is not an option\n\n{HELP}").into()),
        }
    }
    let mock = Mock::listen(listen)?;
    replies.into_iter().for_each(|reply| mock.reply(reply));
    if is_careless {
        mock.careless();
    }
    if let Some(key) = aws_key {
        mock.signed_with(key);
    }
    writeln!(std::io::stdout(), "{}", serde_json::json!({ "url": mock.url() }))?;
    std::io::stdout().flush()?;
    loop {
        std::thread::park();
    }
}

fn read_key(text: &str) -> Result<AwsKey, String> {
    let mut parts = text.splitn(3, ':');
    let (Some(id), Some(secret)) = (parts.next(), parts.next()) else {
        return Err("expected ID:SECRET or ID:SECRET:TOKEN".to_owned());
    };
    let key = AwsKey::new(id, secret);
    Ok(match parts.next() {
        Some(token) => key.temporary(token),
        None => key,
    })
}

fn list_rules() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for rule in rules() {
        writeln!(
            out,
            "{:10} {}: {}",
            rule.dialect,
            rule.name,
            rule.documented.unwrap_or("(assumed)")
        )?;
    }
    Ok(())
}
