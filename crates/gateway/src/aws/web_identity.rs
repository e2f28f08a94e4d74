//! Web identity: a token in a file is exchanged for temporary credentials (STS `AssumeRoleWithWebIdentity`).
//!
//! This is how a pod in Kubernetes (IRSA) and a CI job (OIDC) have a role without a secret. The call needs no signature.

use super::credentials::AwsCredentials;
use super::profiles::read_bounded;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, StatusCode, Uri};
use std::path::PathBuf;
use std::time::Duration;
use tokenforge_config::Secret;
use tokenforge_ledger::parse_rfc3339;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::{Body, BodyTimeout};
use tokenforge_proxy::read::BodyRead;
use tokenforge_proxy::upstream::UpstreamClient;

/// How long STS may take to begin to answer, and then to end. Requests wait for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longer tokens and answers there are not.
const LARGEST: usize = 64 << 10;

/// A role, and the token that it is given for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WebIdentity {
    pub(super) token_file: PathBuf,
    pub(super) role: String,
    pub(super) session_name: Option<String>,
}

/// Credentials for a while.
pub(super) struct TemporaryCredentials {
    pub(super) credentials: AwsCredentials,
    /// In seconds since 1970.
    pub(super) expires: u64,
}

impl WebIdentity {
    /// Asks STS. What comes back says why not, and holds neither the token nor what STS says about it but for its code.
    pub(super) async fn assume(
        &self,
        client: &UpstreamClient,
        sts: &Uri,
    ) -> Result<TemporaryCredentials, String> {
        let file = self.token_file.clone();
        let reading = run_blocking(move || read_bounded(&file, LARGEST as u64)).await;
        let token = match reading {
            Some(Ok(token)) => token,
            Some(Err(error)) => {
                return Err(format!("cannot read {}: {error}", self.token_file.display()));
            }
            None => return Err(format!("{} cannot be read in time", self.token_file.display())),
        };
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("Action", "AssumeRoleWithWebIdentity")
            .append_pair("Version", "2011-06-15")
            .append_pair("RoleArn", &self.role)
            .append_pair("RoleSessionName", self.session_name.as_deref().unwrap_or("tokenforge"))
            .append_pair("WebIdentityToken", token.trim())
            .finish();
        let mut request = Request::new(Body::from(form));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = sts.clone();
        let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers_mut().insert(CONTENT_TYPE, form_type);
        let sent = client.send(&mut request, false, PATIENCE).await;
        let (head, body) = sent.map_err(|failure| format!("STS: {failure}"))?.into_parts();
        let body = Body::passing(body, BodyTimeout::within(PATIENCE, PATIENCE)).read(LARGEST).await;
        let text = match body {
            Ok(BodyRead::Whole(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => return Err("STS did not answer whole".to_owned()),
        };
        if head.status != StatusCode::OK {
            let code = element(&text, "Code")
                .filter(|code| code.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            let status = head.status.as_u16();
            return Err(format!("STS answered {status} ({})", code.unwrap_or("without a code")));
        }
        read_answer(&text).ok_or_else(|| "STS answered without credentials".to_owned())
    }
}

fn read_answer(text: &str) -> Option<TemporaryCredentials> {
    let shown = |name: &str| {
        element(text, name).filter(|value| value.bytes().all(|byte| byte.is_ascii_graphic()))
    };
    Some(TemporaryCredentials {
        credentials: AwsCredentials {
            key_id: shown("AccessKeyId")?.to_owned(),
            secret: Secret::new(shown("SecretAccessKey")?),
            session_token: Some(Secret::new(shown("SessionToken")?)),
        },
        expires: parse_rfc3339(shown("Expiration")?)?,
    })
}

/// The text of the first element of this name. What is asked for here has neither markup nor entities in it.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    let value = value.trim();
    (!value.is_empty() && value.len() <= LARGEST && !value.contains(['<', '&'])).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_sts_is_read_whole_or_not_at_all() {
        let answer = "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult>\n<Credentials>\
                      <SessionToken>tok/+==</SessionToken><SecretAccessKey>s3cr3t</SecretAccessKey>\
                      <Expiration>2026-11-19T05:00:00Z</Expiration><AccessKeyId>ASIAX</AccessKeyId></Credentials>";
        let read = read_answer(answer).unwrap();
        assert_eq!((read.credentials.key_id.as_str(), read.expires), ("ASIAX", 1_795_064_400));
        assert_eq!(read.credentials.session_token.unwrap().expose(), "tok/+==");
        for part in ["SessionToken", "SecretAccessKey", "Expiration", "AccessKeyId"] {
            assert!(read_answer(&answer.replace(part, "Other")).is_none(), "{part}");
        }
        assert!(read_answer(&answer.replace("s3cr3t", "s3\nx-evil: 1")).is_none());
    }
}
