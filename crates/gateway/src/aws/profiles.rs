//! The shared AWS files: `~/.aws/credentials` and `~/.aws/config`, read as botocore reads them (INI).

use super::credentials::{AwsCredentials, AwsFinding, AwsFindingKind, masked};
use super::web_identity::WebIdentity;
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use tokenforge_config::Secret;

/// A longer file is none that a person has.
const LARGEST: u64 = 1 << 20;

/// What keys of a profile say that a program must be run or a person be asked for credentials.
const UNUSABLE: [(&str, &str); 6] = [
    ("credential_process", "runs a program for credentials"),
    ("sso_session", "signs in with SSO"),
    ("sso_start_url", "signs in with SSO"),
    ("login_session", "signs in with `aws login`"),
    ("source_profile", "assumes a role from another profile"),
    ("credential_source", "assumes a role from the instance or container it runs on"),
];

/// Where the two files are.
#[derive(Debug, Clone, Default)]
pub(super) struct ProfileFiles {
    pub(super) credentials: Option<PathBuf>,
    pub(super) config: Option<PathBuf>,
}

/// All profiles of both files. Of one that is in both, what the credentials file says counts.
#[derive(Default)]
pub(super) struct Profiles {
    profiles: BTreeMap<String, Profile>,
    /// Files that are there and cannot be read.
    unread: Vec<AwsFinding>,
}

#[derive(Default)]
struct Profile {
    keys: BTreeMap<String, String>,
    /// Where it was read first.
    place: String,
}

impl ProfileFiles {
    /// Reads both. Blocks.
    pub(super) fn read(&self) -> Profiles {
        let mut profiles = Profiles::default();
        for (file, is_config) in [(&self.credentials, false), (&self.config, true)] {
            let Some(path) = file else { continue };
            match read_bounded(path) {
                Ok(text) => profiles.add(path, &text, is_config),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => profiles.unread.push(AwsFinding {
                    place: path.display().to_string(),
                    kind: AwsFindingKind::Unusable(error.to_string()),
                }),
            }
        }
        profiles
    }
}

/// A pipe or a device in the place of the file must not hold anybody up, nor fill the memory.
fn read_bounded(path: &Path) -> std::io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

impl Profiles {
    fn add(&mut self, path: &Path, text: &str, is_config: bool) {
        let mut current: Option<String> = None;
        for line in text.lines() {
            let is_nested = line.starts_with([' ', '\t']);
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) || is_nested {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                current = profile_name(name.trim(), is_config);
                continue;
            }
            let (Some(name), Some((key, value))) = (&current, line.split_once('=')) else {
                continue;
            };
            let profile = self.profiles.entry(name.clone()).or_default();
            if profile.place.is_empty() {
                profile.place = format!("profile {name} in {}", path.display());
            }
            let key = key.trim().to_ascii_lowercase();
            profile.keys.entry(key).or_insert_with(|| value.trim().to_owned());
        }
    }

    /// The access key with this id, whichever profile it is in.
    pub(super) fn with_key_id(&self, key_id: &str) -> Option<AwsCredentials> {
        let mut keys = self.profiles.values().filter_map(Profile::access_key);
        keys.find(|key| key.key_id == key_id)
    }

    /// The access key of a profile.
    pub(super) fn access_key(&self, profile: &str) -> Option<AwsCredentials> {
        self.profiles.get(profile)?.access_key()
    }

    /// The role that a profile assumes with a web identity token.
    pub(super) fn web_identity(&self, profile: &str) -> Option<WebIdentity> {
        self.profiles.get(profile)?.web_identity()
    }

    /// The region of a profile.
    pub(super) fn region(&self, profile: &str) -> Option<String> {
        self.profiles.get(profile)?.get("region").map(str::to_owned)
    }

    /// What is in the files.
    pub(super) fn findings(&self) -> Vec<AwsFinding> {
        let found = self.profiles.values().filter_map(|profile| {
            let kind = profile.kind()?;
            Some(AwsFinding { place: profile.place.clone(), kind })
        });
        found.chain(self.unread.iter().cloned()).collect()
    }
}

impl Profile {
    fn get(&self, key: &str) -> Option<&str> {
        self.keys.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn access_key(&self) -> Option<AwsCredentials> {
        Some(AwsCredentials {
            key_id: self.get("aws_access_key_id")?.to_owned(),
            secret: Secret::new(self.get("aws_secret_access_key")?),
            session_token: self.get("aws_session_token").map(Secret::new),
        })
    }

    fn web_identity(&self) -> Option<WebIdentity> {
        Some(WebIdentity {
            token_file: self.get("web_identity_token_file")?.into(),
            role: self.get("role_arn")?.to_owned(),
            session_name: self.get("role_session_name").map(str::to_owned),
        })
    }

    fn kind(&self) -> Option<AwsFindingKind> {
        if let Some(key) = self.access_key() {
            return Some(AwsFindingKind::AccessKey(masked(&key.key_id)));
        }
        if let Some(identity) = self.web_identity() {
            return Some(AwsFindingKind::WebIdentity(identity.role));
        }
        let unusable = UNUSABLE.iter().find(|(key, _)| self.get(key).is_some());
        unusable.map(|(_, why)| {
            AwsFindingKind::Unusable(format!("{why}, which Tokenforge does not do"))
        })
    }
}

/// In the config file a profile is `[profile NAME]`, but for `[default]`; other sections there are none.
fn profile_name(section: &str, is_config: bool) -> Option<String> {
    let unquoted = |name: &str| name.trim().trim_matches(['"', '\'']).to_owned();
    match section.strip_prefix("profile").filter(|rest| rest.starts_with([' ', '\t'])) {
        Some(name) if is_config => Some(unquoted(name)),
        None if is_config && section != "default" => None,
        _ => Some(unquoted(section)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(credentials: &str, config: &str) -> Profiles {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["credentials", "config"].map(|name| folder.path().join(name));
        fs::write(&first, credentials).unwrap();
        fs::write(&second, config).unwrap();
        ProfileFiles { credentials: Some(first), config: Some(second) }.read()
    }

    #[test]
    fn profiles_of_both_files_are_found_by_name_and_by_key_id() {
        let profiles = read(
            "[default]\naws_access_key_id = AKIADEFAULT00001\naws_secret_access_key=s/1+=\n; a comment\n\n\
             [ dev ]\nAWS_ACCESS_KEY_ID=ASIADEV000000002\naws_secret_access_key = two\naws_session_token = t==\n",
            "[default]\nregion = eu-west-1\naws_secret_access_key = of the other file\ns3 =\n  max_queue = 1\n\
             [profile \"pod\"]\nrole_arn = arn:aws:iam::1:role/r\nweb_identity_token_file = /token\n\
             [profile sso]\nsso_session = corp\n[sso-session corp]\nsso_start_url = https://x\n",
        );
        let default = profiles.access_key("default").unwrap();
        assert_eq!(
            (default.key_id.as_str(), default.secret.expose()),
            ("AKIADEFAULT00001", "s/1+=")
        );
        assert_eq!(default.session_token, None);
        assert_eq!(profiles.region("default").as_deref(), Some("eu-west-1"));
        let dev = profiles.with_key_id("ASIADEV000000002").unwrap();
        assert_eq!(dev.session_token.unwrap().expose(), "t==");
        assert!(profiles.with_key_id("AKIA").is_none());
        let pod = profiles.web_identity("pod").unwrap();
        assert_eq!((pod.role.as_str(), pod.token_file), ("arn:aws:iam::1:role/r", "/token".into()));
        let kinds: Vec<_> = profiles.findings().into_iter().map(|finding| finding.kind).collect();
        assert_eq!(
            kinds,
            [
                AwsFindingKind::AccessKey("AKIA…0001".to_owned()),
                AwsFindingKind::AccessKey("ASIA…0002".to_owned()),
                AwsFindingKind::WebIdentity("arn:aws:iam::1:role/r".to_owned()),
                AwsFindingKind::Unusable(
                    "signs in with SSO, which Tokenforge does not do".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn what_is_missing_or_no_file_holds_nothing_up() {
        let missing =
            ProfileFiles { credentials: Some("/no/such/file".into()), config: None }.read();
        assert_eq!(missing.findings(), []);
        let folder = tempfile::tempdir().unwrap();
        let files = ProfileFiles { credentials: Some(folder.path().into()), config: None };
        let found = files.read().findings();
        assert_eq!(found[0].kind, AwsFindingKind::Unusable("it is no file".to_owned()));
    }

    #[test]
    fn a_profile_without_a_secret_is_no_access_key() {
        let profiles =
            read("[default]\naws_access_key_id = AKIADEFAULT00001\naws_secret_access_key =\n", "");
        assert!(
            profiles.access_key("default").is_none()
                && profiles.with_key_id("AKIADEFAULT00001").is_none()
        );
    }
}
