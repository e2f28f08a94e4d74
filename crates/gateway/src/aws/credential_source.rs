//! Where the operator's AWS credentials come from: variables, the shared files, a web identity.
//!
//! The files are read for every signed request, which are few: other programs replace what is in them by the hour.

use super::claim::SignatureClaim;
use super::credentials::{AwsCredentials, AwsFinding, AwsFindingKind, AwsIdentity};
use super::partition::{domain, is_plain};
use super::profiles::{ProfileFiles, Profiles};
use super::resign_rule::ResignRule;
use super::role_session::RoleSession;
use super::signer::RequestSigner;
use super::web_identity::WebIdentity;
use http::HeaderMap;
use http::Uri;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::upstream::UpstreamClient;

const ENVIRONMENT: &str = "the environment";

/// Looks up a variable of the environment.
type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where the operator's AWS credentials come from.
pub struct AwsCredentialSource {
    variables: Variables,
    session: RoleSession,
}

/// What a signer needs beside the request: how STS is reached, the time, and the confused deputy rule.
pub(crate) struct SigningContext<'c> {
    pub(crate) client: &'c UpstreamClient,
    pub(crate) now: SystemTime,
    pub(crate) rule: ResignRule,
}

impl AwsCredentialSource {
    /// As this process was started: its variables, and the files of its user.
    #[must_use]
    pub fn from_env() -> Self {
        Self::with_variables(|name| std::env::var(name).ok())
    }

    /// As if these were the variables of the process.
    pub fn with_variables(
        variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        AwsCredentialSource { variables: Box::new(variables), session: RoleSession::default() }
    }

    /// All sources that have something, for `doctor` to show. Blocks.
    #[must_use]
    pub fn findings(&self) -> Vec<AwsFinding> {
        let key = self.environment_key().map(|key| key.map(AwsIdentity::AccessKey));
        let role = self.environment_role().map(|role| role.map(AwsIdentity::WebIdentity));
        let finding =
            |found| AwsFinding { place: ENVIRONMENT.to_owned(), kind: AwsFindingKind::from(found) };
        let here = key.into_iter().chain(role).map(finding);
        here.chain(self.files().read().findings()).collect()
    }

    /// What signs requests of clients that show a gateway key, where the settings allow that. Blocks.
    ///
    /// # Errors
    /// Fails if no source has credentials.
    pub fn own(&self) -> Result<AwsFindingKind, String> {
        self.own_identity(&self.files().read()).map(AwsFindingKind::from)
    }

    /// The signer that replaces this client's signature over a body with this hash, which it then takes off the headers.
    /// `None`: the rule forbids it, and the headers stay as they are.
    ///
    /// # Errors
    /// Fails if the caller is trusted and no source has credentials.
    pub(crate) async fn signer_for(
        &self,
        claim: &SignatureClaim,
        payload: &str,
        headers: &mut HeaderMap,
        context: SigningContext<'_>,
    ) -> Result<Option<RequestSigner>, String> {
        let mut keys = self.with_key_id(claim.key_id()).await.into_iter();
        if let Some(own) = keys.find(|key| claim.is_made_with(key, payload)) {
            return Ok(Some(RequestSigner::in_place_of(claim, own, headers)));
        }
        if !context.rule.trusts_caller() {
            return Ok(None);
        }
        let current = self.current(context.client, context.now).await?;
        Ok(Some(RequestSigner::in_place_of(claim, current, headers)))
    }

    /// The access keys with this id. There may be one for each session that it was in.
    async fn with_key_id(&self, key_id: &str) -> Vec<AwsCredentials> {
        let own = self.environment_key().and_then(Result::ok);
        let own = own.filter(|key| key.key_id == key_id);
        own.into_iter().chain(self.profiles().await.with_key_id(key_id)).collect()
    }

    /// What an SDK would use that was started like this process.
    async fn current(
        &self,
        client: &UpstreamClient,
        now: SystemTime,
    ) -> Result<AwsCredentials, String> {
        let profiles = self.profiles().await;
        match self.own_identity(&profiles)? {
            AwsIdentity::AccessKey(key) => Ok(key),
            AwsIdentity::WebIdentity(identity) => {
                let sts = self.sts(profiles.value(&self.profile(), "region"))?;
                let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
                self.session.credentials(identity, client, &sts, now).await
            }
        }
    }

    /// As botocore looks: the variables, the role of a profile, a web identity in the variables, and what else the profile
    /// has. Nothing is taken in the place of what may be in a file that cannot be read.
    fn own_identity(&self, profiles: &Profiles) -> Result<AwsIdentity, String> {
        if let Some(key) = self.environment_key() {
            return key.map(AwsIdentity::AccessKey);
        }
        let profile = self.profile();
        let of_profile = |why: String| format!("the profile {profile} {why}");
        // Its role would come first, and may be in the file that cannot be read.
        if self.named_profile().is_some() {
            profiles.known()?;
        }
        if let Some(why) = profiles.role_without_web_identity(&profile) {
            return Err(of_profile(why));
        }
        if let Some(role) = self.environment_role() {
            return role.map(AwsIdentity::WebIdentity);
        }
        profiles.known()?;
        match profiles.identity(&profile) {
            Some(identity) => identity.map_err(of_profile),
            None => Err(format!(
                "neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, nor AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN \
                 are set, and {}",
                profiles.lack(&profile)
            )),
        }
    }

    async fn profiles(&self) -> Profiles {
        let files = self.files();
        run_blocking(move || files.read()).await.unwrap_or_else(Profiles::late)
    }

    /// The access key in the variables, if there is any of it.
    fn environment_key(&self) -> Option<Result<AwsCredentials, String>> {
        let key = AwsCredentials::read(|name| self.variable(&name.to_ascii_uppercase()))?;
        Some(key.map_err(|_| "AWS_SECRET_ACCESS_KEY is not set".to_owned()))
    }

    /// The role that is given for the token in the variables, if there is any of it.
    fn environment_role(&self) -> Option<Result<WebIdentity, String>> {
        let token_file = self.variable("AWS_WEB_IDENTITY_TOKEN_FILE")?.into();
        let Some(role) = self.variable("AWS_ROLE_ARN") else {
            return Some(Err("AWS_ROLE_ARN is not set".to_owned()));
        };
        let session_name = self.variable("AWS_ROLE_SESSION_NAME");
        Some(Ok(WebIdentity { token_file, role, session_name }))
    }

    fn profile(&self) -> String {
        self.named_profile().unwrap_or_else(|| "default".to_owned())
    }

    /// The profile that the variables choose.
    fn named_profile(&self) -> Option<String> {
        self.variable("AWS_PROFILE").or_else(|| self.variable("AWS_DEFAULT_PROFILE"))
    }

    fn files(&self) -> ProfileFiles {
        let home =
            self.variable("HOME").or_else(|| self.variable("USERPROFILE")).map(PathBuf::from);
        let place = |variable: &str, name: &str| {
            let usual = home.as_ref().map(|home| home.join(".aws").join(name));
            match (self.variable(variable), &home) {
                (Some(named), Some(home)) => Some(
                    named
                        .strip_prefix("~/")
                        .map_or_else(|| named.clone().into(), |rest| home.join(rest)),
                ),
                (Some(named), None) => Some(named.into()),
                (None, _) => usual,
            }
        };
        ProfileFiles {
            credentials: place("AWS_SHARED_CREDENTIALS_FILE", "credentials"),
            config: place("AWS_CONFIG_FILE", "config"),
        }
    }

    /// Where STS is: in the region, else where it was before there were regions.
    fn sts(&self, of_profile: Option<&str>) -> Result<Uri, String> {
        let region = self
            .variable("AWS_REGION")
            .or_else(|| self.variable("AWS_DEFAULT_REGION"))
            .or_else(|| of_profile.map(str::to_owned));
        let named = match (self.variable("AWS_ENDPOINT_URL_STS"), region) {
            (Some(named), _) => named,
            (None, Some(region)) if is_plain(&region) => {
                format!("https://sts.{region}.{}", domain(&region))
            }
            (None, Some(region)) => {
                return Err(format!("{region:?} is no region; expected one such as eu-west-1"));
            }
            (None, None) => "https://sts.amazonaws.com".to_owned(),
        };
        let uri: Option<Uri> = format!("{}/", named.trim_end_matches('/')).parse().ok();
        let is_http = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        uri.filter(is_http).ok_or_else(|| format!("the address of STS is none: {named}"))
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::credentials::masked;
    use super::*;
    use std::collections::HashMap;
    use std::time::Duration;
    use tempfile::TempDir;
    use tokenforge_mock::{Mock, Reply};
    use tokenforge_proxy::upstream::UpstreamLimits;

    fn source(variables: &[(&str, &str)]) -> AwsCredentialSource {
        let variables: HashMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        AwsCredentialSource::with_variables(move |name| variables.get(name).cloned())
    }

    fn client() -> UpstreamClient {
        let patience = Duration::from_secs(20);
        UpstreamClient::new(UpstreamLimits {
            max_requests: 9,
            connect_timeout: patience,
            idle_connections: 1,
        })
    }

    /// A moment so many seconds after noon.
    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_795_089_600 + seconds)
    }

    fn answer(key_id: &str, expires: &str) -> Reply {
        let body = format!(
            "<R><Credentials><AccessKeyId>{key_id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>\
             <SessionToken>t</SessionToken><Expiration>{expires}</Expiration></Credentials></R>"
        );
        Reply::status(200, &[("content-type", "text/xml")], body)
    }

    fn refusal() -> Reply {
        let body = "<ErrorResponse><Error><Code>ExpiredTokenException</Code><Message>Token expired: eyJhb</Message></Error>";
        Reply::status(400, &[], body)
    }

    struct Sts {
        mock: Mock,
        source: AwsCredentialSource,
        client: UpstreamClient,
        _folder: TempDir,
    }

    fn sts() -> Sts {
        let (mock, folder) = (Mock::start(), tempfile::tempdir().unwrap());
        let token = folder.path().join("token");
        std::fs::write(&token, "eyJhbGciOi\n").unwrap();
        let source = source(&[
            ("AWS_WEB_IDENTITY_TOKEN_FILE", token.to_str().unwrap()),
            ("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/gateway"),
            ("AWS_ENDPOINT_URL_STS", &mock.url()),
        ]);
        Sts { mock, source, client: client(), _folder: folder }
    }

    impl Sts {
        async fn key_at(&self, seconds: u64) -> Result<String, String> {
            let current = self.source.current(&self.client, at(seconds)).await;
            current.map(|key| key.key_id)
        }
    }

    #[tokio::test]
    async fn a_role_is_assumed_once_and_again_before_its_credentials_expire() {
        let sts = sts();
        sts.mock.reply_on("/", answer("ASIAFIRST", "2026-11-19T13:00:00Z"));
        assert_eq!(sts.key_at(0).await.as_deref(), Ok("ASIAFIRST"));
        let asked = sts.mock.last();
        assert_eq!(
            String::from_utf8_lossy(&asked.body),
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fgateway\
             &RoleSessionName=tokenforge&WebIdentityToken=eyJhbGciOi"
        );
        assert_eq!(asked.header("content-type"), "application/x-www-form-urlencoded");
        assert_eq!(sts.key_at(3299).await.as_deref(), Ok("ASIAFIRST"));
        assert_eq!(sts.mock.requests().len(), 1);
        sts.mock.reply_on("/", answer("ASIASECOND", "2026-11-19T14:00:00Z"));
        assert_eq!(sts.key_at(3300).await.as_deref(), Ok("ASIASECOND"));
        assert_eq!(sts.mock.requests().len(), 2);
    }

    #[tokio::test]
    async fn while_sts_fails_the_old_credentials_are_used_as_long_as_they_last_and_it_is_not_asked_all_the_time()
     {
        let sts = sts();
        sts.mock.reply_on("/", answer("ASIAFIRST", "2026-11-19T13:00:00Z"));
        assert_eq!(sts.key_at(0).await.as_deref(), Ok("ASIAFIRST"));
        sts.mock.reply_on("/", refusal());
        assert_eq!(sts.key_at(3400).await.as_deref(), Ok("ASIAFIRST"));
        assert_eq!(sts.key_at(3405).await.as_deref(), Ok("ASIAFIRST"));
        assert_eq!(sts.mock.requests().len(), 2);
        sts.mock.reply_on("/", refusal());
        let failed = sts.key_at(3700).await;
        assert_eq!(failed, Err("STS answered 400 (ExpiredTokenException)".to_owned()));
        assert_eq!(sts.key_at(3705).await, failed);
        assert_eq!(sts.mock.requests().len(), 3);
        sts.mock.reply_on("/", answer("ASIATHIRD", "2026-11-19T15:00:00Z"));
        assert_eq!(sts.key_at(3711).await.as_deref(), Ok("ASIATHIRD"));
    }

    #[tokio::test]
    async fn variables_come_before_a_role_and_that_before_the_profile() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        let profile = |name: &str, id: &str| {
            format!("[{name}]\naws_access_key_id={id}\naws_secret_access_key=s\n")
        };
        std::fs::write(&file, profile("default", "AKIADEFAULT") + &profile("dev", "AKIADEV"))
            .unwrap();
        let files = [("AWS_SHARED_CREDENTIALS_FILE", file.to_str().unwrap())];
        let current = |more: &[(&'static str, &'static str)]| {
            let source = source(&[&files[..], more].concat());
            async move { source.current(&client(), at(0)).await.map(|key| key.key_id) }
        };
        assert_eq!(current(&[]).await.as_deref(), Ok("AKIADEFAULT"));
        assert_eq!(current(&[("AWS_PROFILE", "dev")]).await.as_deref(), Ok("AKIADEV"));
        let variables = [("AWS_ACCESS_KEY_ID", "AKIAENV"), ("AWS_SECRET_ACCESS_KEY", "s")];
        assert_eq!(current(&variables).await.as_deref(), Ok("AKIAENV"));
        let role = [("AWS_WEB_IDENTITY_TOKEN_FILE", "/no/such/file"), ("AWS_ROLE_ARN", "r")];
        let failed = current(&role).await.unwrap_err();
        assert!(failed.starts_with("cannot read /no/such/file"), "{failed}");
        let none = current(&[("AWS_PROFILE", "other")]).await.unwrap_err();
        assert!(none.contains("AWS_ACCESS_KEY_ID") && none.contains("the profile other"), "{none}");
        // Whichever profile it is in, and as the file is now.
        let named = source(&files);
        assert_eq!(named.with_key_id("AKIADEV").await.len(), 1);
        std::fs::write(&file, profile("default", "AKIAROTATED")).unwrap();
        assert_eq!(named.with_key_id("AKIADEV").await, []);
        assert_eq!(named.with_key_id("AKIAROTATED").await.len(), 1);
    }

    #[test]
    fn sts_is_in_the_region_or_where_the_operator_says() {
        let sts =
            |variables: &[(&str, &str)]| source(variables).sts(None).map(|uri| uri.to_string());
        assert_eq!(sts(&[]).unwrap(), "https://sts.amazonaws.com/");
        assert_eq!(
            sts(&[("AWS_REGION", "eu-west-1")]).unwrap(),
            "https://sts.eu-west-1.amazonaws.com/"
        );
        let china = source(&[]).sts(Some("cn-north-1")).unwrap();
        assert_eq!(china, "https://sts.cn-north-1.amazonaws.com.cn/");
        assert_eq!(
            sts(&[("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1/")]).unwrap(),
            "http://127.0.0.1:1/"
        );
        assert!(sts(&[("AWS_ENDPOINT_URL_STS", "ftp://x")]).is_err());
        for wrong in ["eu-west-1.evil.example", "eu-west-1/x", "EU", "eu west"] {
            let told = sts(&[("AWS_REGION", wrong)]).unwrap_err();
            assert!(told.contains(wrong) && told.contains("eu-west-1"), "{told}");
        }
    }

    #[tokio::test]
    async fn a_request_that_is_given_up_while_it_asks_sts_loses_no_credentials() {
        let sts = sts();
        sts.mock.reply_on("/", answer("ASIAFIRST", "2026-11-19T13:00:00Z"));
        assert_eq!(sts.key_at(0).await.as_deref(), Ok("ASIAFIRST"));
        let hold = sts.mock.hold();
        tokio::select! {
            _ = sts.key_at(3400) => panic!("STS has not answered"),
            () = sts.mock.saw_requests(2) => {}
        }
        drop(hold);
        sts.mock.reply_on("/", refusal());
        assert_eq!(sts.key_at(3400).await.as_deref(), Ok("ASIAFIRST"));
        assert_eq!(sts.mock.requests().len(), 3);
    }

    #[tokio::test]
    async fn while_one_request_asks_sts_the_others_go_on_with_what_lasts() {
        let sts = sts();
        sts.mock.reply_on("/", answer("ASIAFIRST", "2026-11-19T13:00:00Z"));
        assert_eq!(sts.key_at(0).await.as_deref(), Ok("ASIAFIRST"));
        sts.mock.reply_on("/", answer("ASIASECOND", "2026-11-19T14:00:00Z"));
        let hold = sts.mock.hold();
        let meanwhile = async {
            sts.mock.saw_requests(2).await;
            assert_eq!(sts.key_at(3400).await.as_deref(), Ok("ASIAFIRST"));
            drop(hold);
        };
        let (asked, ()) = tokio::join!(sts.key_at(3400), meanwhile);
        assert_eq!(asked.as_deref(), Ok("ASIASECOND"));
        assert_eq!(sts.mock.requests().len(), 2);
        // Who has nothing waits for the one that asks.
        sts.mock.reply_on("/", answer("ASIATHIRD", "2026-11-19T20:00:00Z"));
        let (one, other) = tokio::join!(sts.key_at(7300), sts.key_at(7300));
        assert_eq!((one.as_deref(), other.as_deref()), (Ok("ASIATHIRD"), Ok("ASIATHIRD")));
        assert_eq!(sts.mock.requests().len(), 3);
    }

    #[tokio::test]
    async fn what_is_named_by_half_is_an_error_and_not_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        let key = "aws_access_key_id=AKIADEFAULT\naws_secret_access_key=s\n";
        let text = format!(
            "[default]\n{key}[role]\n{key}role_arn=r\nsource_profile=default\n[empty]\nregion=x\n"
        );
        std::fs::write(&file, text).unwrap();
        let files = [("AWS_SHARED_CREDENTIALS_FILE", file.to_str().unwrap())];
        for (variables, told) in [
            (&[("AWS_ACCESS_KEY_ID", "AKIAENV")][..], "AWS_SECRET_ACCESS_KEY is not set"),
            (&[("AWS_WEB_IDENTITY_TOKEN_FILE", "/t")], "AWS_ROLE_ARN is not set"),
            (&[("AWS_PROFILE", "role")], "the profile role assumes a role from another profile"),
            (&[("AWS_PROFILE", "none")], "the profile none is not there"),
            (&[("AWS_PROFILE", "empty")], "the profile empty has no access key"),
        ] {
            let source = source(&[&files[..], variables].concat());
            let failed = source.current(&client(), at(0)).await.unwrap_err();
            assert!(failed.contains(told), "{failed}");
            assert_eq!(source.own(), Err(failed));
        }
    }

    const POD: [(&str, &str); 2] =
        [("AWS_WEB_IDENTITY_TOKEN_FILE", "/no/token"), ("AWS_ROLE_ARN", "arn:aws:iam::1:role/pod")];

    #[test]
    fn the_role_of_a_profile_comes_before_a_web_identity_in_the_variables() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        let text = "[profile other]\nrole_arn = r\nsource_profile = default\n\
                    [profile web]\nrole_arn = r\nweb_identity_token_file = /t\n\
                    [profile sso]\nsso_session = x\nsso_role_name = r\n";
        std::fs::write(&file, text).unwrap();
        let own = |profile, more: &[(&str, &str)]| {
            let files = [("AWS_CONFIG_FILE", file.to_str().unwrap()), ("AWS_PROFILE", profile)];
            source(&[&files[..], &POD, more].concat()).own()
        };
        let failed = own("other", &[]).unwrap_err();
        assert!(failed.starts_with("the profile other assumes a role from another"), "{failed}");
        let pod = Ok(AwsFindingKind::WebIdentity(POD[1].1.to_owned()));
        assert_eq!((own("web", &[]), own("sso", &[])), (pod.clone(), pod));
        let key = [("AWS_ACCESS_KEY_ID", "AKIA"), ("AWS_SECRET_ACCESS_KEY", "s")];
        assert!(matches!(own("other", &key), Ok(AwsFindingKind::AccessKey(_))));
    }

    #[tokio::test]
    async fn nothing_is_taken_in_the_place_of_what_may_be_in_a_file_that_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let [good, bad] = ["good", "bad"].map(|name| folder.path().join(name));
        std::fs::write(&good, "[default]\naws_access_key_id=AKIAGOOD\naws_secret_access_key=s\n")
            .unwrap();
        std::fs::write(&bad, b"[default]\nregion = \xff\n").unwrap();
        let [good, bad, no_file] = [&good, &bad, folder.path()].map(|path| path.to_str().unwrap());
        let source = |credentials, config, more: &[(&str, &str)]| {
            let files = [("AWS_SHARED_CREDENTIALS_FILE", credentials), ("AWS_CONFIG_FILE", config)];
            source(&[&files[..], more].concat())
        };
        let named = [POD[0], POD[1], ("AWS_PROFILE", "default")];
        for (credentials, config, more) in
            [(bad, good, &[][..]), (good, bad, &[]), (good, bad, &named), (bad, no_file, &[])]
        {
            let source = source(credentials, config, more);
            let failed = source.current(&client(), at(0)).await.unwrap_err();
            assert!(failed.starts_with(bad), "{failed}");
            assert_eq!(source.own(), Err(failed));
        }
        // What is no file has nothing in it, and the variables are enough for who names no profile.
        let key = source(good, no_file, &[]).own();
        assert_eq!(key, Ok(AwsFindingKind::AccessKey(masked("AKIAGOOD"))));
        let pod = source(bad, bad, &POD).own();
        assert_eq!(pod, Ok(AwsFindingKind::WebIdentity(POD[1].1.to_owned())));
        let missing = source(no_file, no_file, &[]).own().unwrap_err();
        assert!(missing.contains("default is not found") && missing.contains(no_file), "{missing}");
        let late = source(good, good, &[]).own_identity(&Profiles::late());
        assert_eq!(late.err().as_deref(), Some("~/.aws: it cannot be read in time"));
    }
}
