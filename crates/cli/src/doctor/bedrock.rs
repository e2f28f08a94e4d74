//! Can requests to Bedrock that are signed (AWS SigV4) be made smaller?

use super::finding::Finding;
use crate::links;
use std::env;
use std::path::PathBuf;
use tokenforge_config::{AwsSigning, Settings, Upstreams};
use tokenforge_gateway::{AwsCredentialSource, AwsFinding, AwsFindingKind};

const CHECK: &str = "bedrock";

/// Environment variables that show that AWS is in use here.
const HINTS: [&str; 6] = [
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "CLAUDE_CODE_USE_BEDROCK",
    "ANTHROPIC_BEDROCK_BASE_URL",
];

/// So many access keys are named; there may be a profile for every customer.
const NAMED: usize = 3;

/// The findings about Bedrock: none where AWS does not seem to be in use.
pub(super) fn check(settings: &Settings) -> Vec<Finding> {
    let source = AwsCredentialSource::from_env();
    let found = source.findings();
    if found.is_empty() && !is_used(settings) {
        return Vec::new();
    }
    report(settings.upstreams.aws_signing, &found, source.own())
}

/// Whether AWS is in use on this machine, or may be by the clients of a shared gateway.
fn is_used(settings: &Settings) -> bool {
    let has_folder = || env::home_dir().is_some_and(|home: PathBuf| home.join(".aws").exists());
    !settings.is_personal()
        || settings.upstreams.bedrock != Upstreams::default().bedrock
        || HINTS.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
        || has_folder()
}

/// `own` is what the gateway signs with itself.
fn report(
    signing: AwsSigning,
    found: &[AwsFinding],
    own: Result<AwsFindingKind, String>,
) -> Vec<Finding> {
    if signing == AwsSigning::Never {
        let says = "requests that AWS SDKs sign go on unchanged (upstreams.aws_signing: never), and AWS refuses those \
                    that were signed for this gateway's address";
        return vec![Finding::note(CHECK, says).remedied_by(
            "remove `upstreams.aws_signing` from tokenforge.yaml, or let clients use a Bedrock API key \
             (AWS_BEARER_TOKEN_BEDROCK)",
        )];
    }
    let mut findings = Vec::new();
    let keys: Vec<String> = found.iter().filter_map(access_key).collect();
    if !keys.is_empty() {
        let rest = keys.len().saturating_sub(NAMED);
        let named = keys[..keys.len() - rest].join(", ");
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let says = format!("requests signed with {named}{rest} are made smaller and signed again");
        findings.push(Finding::ok(CHECK, says));
    }
    let role = found.iter().find_map(|finding| match &finding.kind {
        AwsFindingKind::WebIdentity(role) => Some(role),
        _ => None,
    });
    match (signing, role) {
        (AwsSigning::Callers, _) => findings.push(for_callers(own)),
        (_, Some(role)) => {
            let says = format!("{role} is not used: only this gateway has its credentials");
            findings.push(Finding::note(CHECK, says).remedied_by(
                "to let clients that show a gateway key use it: `keys`, and `upstreams.aws_signing: callers`",
            ));
        }
        (_, None) if keys.is_empty() => findings.push(without_credentials()),
        (_, None) => {}
    }
    findings.extend(found.iter().filter_map(unusable));
    findings
}

fn for_callers(own: Result<AwsFindingKind, String>) -> Finding {
    let clients = "requests of clients that show a gateway key";
    match own {
        Ok(AwsFindingKind::AccessKey(own) | AwsFindingKind::WebIdentity(own)) => {
            Finding::ok(CHECK, format!("{clients} are signed as {own}"))
        }
        Ok(AwsFindingKind::Unusable(why)) | Err(why) => {
            let says = format!("{clients} cannot be signed, and get a 502: {why}");
            Finding::broken(CHECK, says).remedied_by(format!(
                "start the gateway with an access key or a web identity that may use Bedrock: {}",
                links::docs("gateway")
            ))
        }
    }
}

fn access_key(finding: &AwsFinding) -> Option<String> {
    match &finding.kind {
        AwsFindingKind::AccessKey(key) => Some(format!("{key} ({})", finding.place)),
        _ => None,
    }
}

fn without_credentials() -> Finding {
    let says = "there are no AWS credentials here: requests that AWS SDKs sign go on unchanged, and AWS refuses those \
                that were signed for this gateway's address";
    Finding::note(CHECK, says).remedied_by(format!(
        "start the gateway with the access key that its clients sign with (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
         or ~/.aws/credentials), or let them use a Bedrock API key (AWS_BEARER_TOKEN_BEDROCK): {}",
        links::docs("gateway")
    ))
}

fn unusable(finding: &AwsFinding) -> Option<Finding> {
    let AwsFindingKind::Unusable(why) = &finding.kind else { return None };
    Some(Finding::note(CHECK, format!("{}: {why}", finding.place)).remedied_by(
        "`aws configure export-credentials --profile NAME --format env` prints an access key; start the gateway with it",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::FindingState;

    fn finding(place: &str, kind: AwsFindingKind) -> AwsFinding {
        AwsFinding { place: place.to_owned(), kind }
    }

    /// What an SDK would find where there is nothing.
    fn nothing() -> Result<AwsFindingKind, String> {
        Err("nothing is set".to_owned())
    }

    fn states(signing: AwsSigning, found: &[AwsFinding]) -> Vec<(FindingState, bool)> {
        let own = found.first().map(|finding| finding.kind.clone());
        let findings = report(signing, found, own.ok_or_else(String::new));
        findings.iter().map(|finding| (finding.state, finding.remedy.is_some())).collect()
    }

    #[test]
    fn without_credentials_it_says_that_signed_requests_pass_unchanged_and_what_to_do() {
        let findings = report(AwsSigning::OwnKey, &[], nothing());
        assert_eq!(findings.len(), 1);
        assert!(findings[0].says.contains("go on unchanged"), "{}", findings[0].says);
        assert!(findings[0].remedy.as_deref().unwrap().contains("AWS_ACCESS_KEY_ID"));
        assert_eq!(states(AwsSigning::Never, &[]), [(FindingState::Note, true)]);
    }

    #[test]
    fn every_kind_of_credential_is_said_to_be_used_or_why_not() {
        let key = finding("the environment", AwsFindingKind::AccessKey("AKIA…0001".to_owned()));
        let role = finding(
            "the environment",
            AwsFindingKind::WebIdentity("arn:aws:iam::1:role/r".to_owned()),
        );
        let sso = finding(
            "profile a in config",
            AwsFindingKind::Unusable("signs in with SSO, which Tokenforge does not do".to_owned()),
        );
        assert_eq!(
            states(AwsSigning::OwnKey, std::slice::from_ref(&key)),
            [(FindingState::Ok, false)]
        );
        assert_eq!(
            states(AwsSigning::Callers, std::slice::from_ref(&role)),
            [(FindingState::Ok, false)]
        );
        assert_eq!(
            states(AwsSigning::OwnKey, std::slice::from_ref(&role)),
            [(FindingState::Note, true)]
        );
        let both = states(AwsSigning::OwnKey, &[key, sso.clone()]);
        assert_eq!(both, [(FindingState::Ok, false), (FindingState::Note, true)]);
        let says = report(AwsSigning::OwnKey, &[sso], nothing());
        assert!(
            says[1].says.contains("profile a in config: signs in with SSO"),
            "{}",
            says[1].says
        );
        let many: Vec<AwsFinding> = (0..5)
            .map(|n| finding("a profile", AwsFindingKind::AccessKey(format!("AKIA…000{n}"))))
            .collect();
        let says = &report(AwsSigning::OwnKey, &many, nothing())[0].says;
        assert!(says.contains("AKIA…0002 (a profile) and 2 more"), "{says}");
    }

    #[test]
    fn what_callers_are_signed_with_is_what_an_sdk_would_take() {
        let role = AwsFindingKind::WebIdentity("arn:aws:iam::1:role/r".to_owned());
        let key = AwsFindingKind::AccessKey("AKIA…0001".to_owned());
        let found = [finding("the environment", key.clone()), finding("profile a", role)];
        let says = |own| report(AwsSigning::Callers, &found, own).remove(1);
        assert!(says(Ok(key)).says.ends_with("are signed as AKIA…0001"));
        let broken = says(Err("the profile b is not there".to_owned()));
        assert!(broken.says.ends_with("get a 502: the profile b is not there"), "{}", broken.says);
        assert_eq!((broken.state, broken.remedy.is_some()), (FindingState::Broken, true));
    }
}
