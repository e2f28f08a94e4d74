//! The shared AWS files: `~/.aws/credentials` and `~/.aws/config`, and which credentials a profile in them has, in the
//! order in which botocore looks.

use super::credentials::{AwsCredentials, AwsFinding, AwsFindingKind, AwsIdentity};
use super::ini;
use super::web_identity::WebIdentity;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A longer file is none that a person has.
const LARGEST: u64 = 1 << 20;

const SSO: &str = "signs in with SSO";

/// Where the two files are.
#[derive(Debug, Clone, Default)]
pub(super) struct ProfileFiles {
    pub(super) credentials: Option<PathBuf>,
    pub(super) config: Option<PathBuf>,
}

/// All profiles of both files.
#[derive(Default)]
pub(super) struct Profiles {
    profiles: BTreeMap<String, Profile>,
    /// What is in the place of a file and cannot be read.
    unread: Vec<UnreadFile>,
}

struct UnreadFile {
    place: String,
    why: String,
    /// It is a file, so what a profile has may be in it. An SDK takes all else for a file that is not there.
    is_file: bool,
}

/// The keys of one file's profile.
type Keys = BTreeMap<String, String>;

/// What both files say of one profile. An access key is taken from one of them whole; of all else, what the credentials
/// file says counts.
#[derive(Default)]
struct Profile {
    credentials: Keys,
    config: Keys,
    /// Where it was read first.
    place: String,
}

impl ProfileFiles {
    /// Reads both. Blocks.
    pub(super) fn read(&self) -> Profiles {
        let mut profiles = Profiles::default();
        for (file, is_config) in [(&self.credentials, false), (&self.config, true)] {
            let Some(path) = file else { continue };
            match read_bounded(path, LARGEST) {
                Ok(text) => profiles.add(path, &text, is_config),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => profiles.unread.push(UnreadFile {
                    place: path.display().to_string(),
                    why: error.to_string(),
                    is_file: path.is_file(),
                }),
            }
        }
        profiles
    }
}

/// The text of a file of no more than so many bytes. A pipe or a device in its place is refused, because it could
/// block forever or fill the memory. Blocks.
pub(super) fn read_bounded(path: &Path, most: u64) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = String::new();
    // What is cut off in the middle may end in half a secret.
    if fs::File::open(path)?.take(most + 1).read_to_string(&mut text)? as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}

impl Profiles {
    fn add(&mut self, path: &Path, text: &str, is_config: bool) {
        for (section, keys) in ini::sections(text) {
            let Some(name) = profile_name(&section, is_config) else { continue };
            let place = || format!("profile {name} in {}", path.display());
            let profile = self
                .profiles
                .entry(name.clone())
                .or_insert_with(|| Profile { place: place(), ..Profile::default() });
            let known = if is_config { &mut profile.config } else { &mut profile.credentials };
            known.extend(keys);
        }
    }

    /// Where the files were not read in time.
    pub(super) fn late() -> Self {
        let (place, why) = ("~/.aws".to_owned(), "it cannot be read in time".to_owned());
        Profiles { unread: vec![UnreadFile { place, why, is_file: true }], ..Self::default() }
    }

    /// The access keys with this id, whichever profile they are in.
    pub(super) fn with_key_id(&self, key_id: &str) -> Vec<AwsCredentials> {
        let keys = self.profiles.values().flat_map(Profile::access_keys);
        keys.filter(|key| key.key_id == key_id).collect()
    }

    /// What a profile gives, or why it cannot be used. `None`: it gives nothing, or does not exist.
    pub(super) fn identity(&self, profile: &str) -> Option<Result<AwsIdentity, String>> {
        self.profiles.get(profile)?.identity()
    }

    /// Why the role of a profile that has no web identity cannot be assumed: an SDK takes such a role before a web identity
    /// in the variables.
    pub(super) fn role_without_web_identity(&self, profile: &str) -> Option<String> {
        let profile = self.profiles.get(profile)?;
        let has_such = profile.has("role_arn") && !profile.has("web_identity_token_file");
        profile.identity().filter(|_| has_such)?.err()
    }

    /// Nothing, if what a profile has is known.
    ///
    /// # Errors
    /// A file that may have more of it cannot be read.
    pub(super) fn known(&self) -> Result<(), String> {
        self.unread.iter().find(|unread| unread.is_file).map_or(Ok(()), |unread| Err(unread.says()))
    }

    /// What a profile lacks that has no credentials.
    pub(super) fn lack(&self, profile: &str) -> String {
        match (self.profiles.contains_key(profile), self.unread.first()) {
            (true, _) => format!("the profile {profile} has no access key"),
            (false, None) => format!("the profile {profile} is not there"),
            (false, Some(unread)) => {
                format!("the profile {profile} is not found: {}", unread.says())
            }
        }
    }

    /// What a profile says of something else.
    pub(super) fn value(&self, profile: &str, key: &str) -> Option<&str> {
        self.profiles.get(profile)?.get(key)
    }

    /// What is in the files.
    pub(super) fn findings(&self) -> Vec<AwsFinding> {
        let found = self.profiles.values().flat_map(Profile::findings);
        let unread = self.unread.iter().map(|unread| AwsFinding {
            place: unread.place.clone(),
            kind: AwsFindingKind::Unusable(unread.why.clone()),
        });
        found.chain(unread).collect()
    }
}

impl UnreadFile {
    fn says(&self) -> String {
        format!("{}: {}", self.place, self.why)
    }
}

impl Profile {
    fn get(&self, key: &str) -> Option<&str> {
        value(&self.credentials, key).or_else(|| value(&self.config, key))
    }

    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn access_keys(&self) -> impl Iterator<Item = AwsCredentials> {
        [&self.credentials, &self.config].into_iter().filter_map(|keys| access_key(keys)?.ok())
    }

    /// As botocore looks: a role, SSO, the credentials file, `aws login`, a program, and then the config file.
    fn identity(&self) -> Option<Result<AwsIdentity, String>> {
        let unusable = |why: &str| Some(Err(format!("{why}, which Tokenforge does not do")));
        match (self.get("role_arn"), self.get("web_identity_token_file")) {
            (Some(role), Some(token_file)) => {
                return Some(Ok(AwsIdentity::WebIdentity(WebIdentity {
                    token_file: token_file.into(),
                    role: role.to_owned(),
                    session_name: self.get("role_session_name").map(str::to_owned),
                })));
            }
            (Some(_), None) if self.has("credential_source") => {
                return unusable("assumes a role from the instance or container it runs on");
            }
            (Some(_), None) if self.has("source_profile") => {
                return unusable("assumes a role from another profile");
            }
            (Some(_), None) => {
                let why = "has a role_arn, and no web_identity_token_file to assume it with";
                return Some(Err(why.to_owned()));
            }
            (None, Some(_)) => {
                let why = "has a web_identity_token_file, and no role_arn";
                return Some(Err(why.to_owned()));
            }
            (None, None) => {}
        }
        if self.has("sso_role_name") || self.has("sso_account_id") {
            return unusable(SSO);
        }
        if let Some(key) = access_key(&self.credentials) {
            return Some(key.map(AwsIdentity::AccessKey));
        }
        if self.has("login_session") {
            return unusable("signs in with `aws login`");
        }
        if self.has("credential_process") {
            return unusable("runs a program for credentials");
        }
        // A session of SSO alone gives tokens for other things, beside keys.
        let is_sso = self.has("sso_session") || self.has("sso_start_url");
        match access_key(&self.config) {
            Some(key) => Some(key.map(AwsIdentity::AccessKey)),
            None if is_sso => unusable(SSO),
            None => None,
        }
    }

    /// An access key is good for requests that were signed with it, whatever else an SDK would prefer.
    fn findings(&self) -> Vec<AwsFinding> {
        let keys = self.access_keys().map(|key| Ok(AwsIdentity::AccessKey(key)));
        let other = self.identity().filter(|found| !matches!(found, Ok(AwsIdentity::AccessKey(_))));
        let finding =
            |found| AwsFinding { place: self.place.clone(), kind: AwsFindingKind::from(found) };
        keys.chain(other).map(finding).collect()
    }
}

fn value<'k>(keys: &'k Keys, key: &str) -> Option<&'k str> {
    keys.get(key).map(String::as_str).filter(|value| !value.is_empty())
}

/// The access key of one file. `None`: the file has no key id.
fn access_key(keys: &Keys) -> Option<Result<AwsCredentials, String>> {
    let key = AwsCredentials::read(|name| value(keys, name).map(str::to_owned))?;
    Some(key.map_err(|_| "has an aws_access_key_id, and no aws_secret_access_key".to_owned()))
}

/// In the config file a profile is `[profile NAME]`, but for `[default]`; other sections there are none.
fn profile_name(section: &str, is_config: bool) -> Option<String> {
    if !is_config {
        return Some(section.to_owned());
    }
    let named = section.strip_prefix("profile").filter(|rest| rest.starts_with([' ', '\t']));
    let named = named.map(|name| name.trim().trim_matches(['"', '\'']).to_owned());
    named.or_else(|| (section == "default").then(|| section.to_owned()))
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

    fn access_key(profiles: &Profiles, name: &str) -> Option<AwsCredentials> {
        match profiles.identity(name) {
            Some(Ok(AwsIdentity::AccessKey(key))) => Some(key),
            _ => None,
        }
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
        let default = access_key(&profiles, "default").unwrap();
        assert_eq!(
            (default.key_id.as_str(), default.secret.expose()),
            ("AKIADEFAULT00001", "s/1+=")
        );
        assert_eq!(default.session_token, None);
        assert_eq!(profiles.value("default", "region"), Some("eu-west-1"));
        let [dev] = &profiles.with_key_id("ASIADEV000000002")[..] else { panic!("not one") };
        assert_eq!(dev.session_token.as_ref().unwrap().expose(), "t==");
        assert_eq!(profiles.with_key_id("AKIA"), []);
        let Some(Ok(AwsIdentity::WebIdentity(pod))) = profiles.identity("pod") else {
            panic!("no role");
        };
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
        assert!(access_key(&profiles, "default").is_none());
        assert_eq!(profiles.with_key_id("AKIADEFAULT00001"), []);
    }

    #[test]
    fn an_access_key_is_of_one_file_as_a_whole() {
        let whole =
            "aws_access_key_id = AKIACONFIG\naws_secret_access_key = s\naws_session_token = t\n";
        let half = "[default]\naws_access_key_id = AKIAHALF\n";
        let profiles = read(half, &format!("[default]\n{whole}"));
        let Some(Err(why)) = profiles.identity("default") else {
            panic!("the secret of the other file");
        };
        assert_eq!(why, "has an aws_access_key_id, and no aws_secret_access_key");
        assert_eq!(profiles.with_key_id("AKIAHALF"), []);
        let key = access_key(&read("", &format!("[default]\n{whole}")), "default").unwrap();
        assert_eq!((key.key_id.as_str(), key.secret.expose()), ("AKIACONFIG", "s"));
        let lasting = "[default]\naws_access_key_id = AKIALASTS\naws_secret_access_key = s\n";
        let profiles = read(lasting, &format!("[default]\n{whole}"));
        let key = access_key(&profiles, "default").unwrap();
        assert_eq!((key.key_id.as_str(), key.session_token), ("AKIALASTS", None));
        // A client may sign with either.
        assert_eq!(profiles.with_key_id("AKIACONFIG").len(), 1);
        let older = lasting
            .replace("secret_access_key = s", "secret_access_key = s\naws_security_token = t");
        let older = access_key(&read(&older, ""), "default").unwrap();
        assert_eq!(older.session_token.unwrap().expose(), "t");
    }

    #[test]
    fn a_profile_is_what_an_sdk_would_take_and_not_the_key_that_a_role_is_assumed_with() {
        const KEY: &str = "aws_access_key_id = AKIAUSER\naws_secret_access_key = s\n";
        let role = "role_arn = arn:aws:iam::1:role/r\n";
        for (credentials, config, why) in [
            (KEY, format!("{role}source_profile = default\n"), "from another profile"),
            (KEY, format!("{role}credential_source = Ec2InstanceMetadata\n"), "from the instance"),
            (KEY, role.to_owned(), "no web_identity_token_file"),
            (KEY, "web_identity_token_file = /t\n".to_owned(), "no role_arn"),
            (KEY, "sso_start_url = https://x\nsso_account_id = 1\n".to_owned(), "SSO"),
            (KEY, "sso_session = x\nsso_role_name = r\n".to_owned(), "SSO"),
            ("", format!("{KEY}login_session = x\n"), "aws login"),
            ("", format!("{KEY}credential_process = x\n"), "runs a program"),
        ] {
            let profiles =
                read(&format!("[default]\n{credentials}"), &format!("[default]\n{config}"));
            let Some(Err(said)) = profiles.identity("default") else {
                panic!("{why}");
            };
            assert!(said.contains(why), "{said}");
            assert_eq!(profiles.with_key_id("AKIAUSER").len(), 1, "{why}");
            assert_eq!(profiles.findings().len(), 2, "{why}");
        }
        for beside in ["credential_process = x", "login_session = x", "sso_session = x"] {
            let beside = format!("[default]\n{beside}\n");
            let profiles = read(&format!("[default]\n{KEY}"), &beside);
            assert!(access_key(&profiles, "default").is_some(), "{beside}");
        }
    }

    #[test]
    fn a_file_that_is_too_long_is_not_read_in_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials");
        let key = "[default]\naws_access_key_id = AKIADEFAULT00001\naws_secret_access_key = s\n";
        fs::write(&path, format!("{key}#{}", " ".repeat(1 << 20))).unwrap();
        let profiles = ProfileFiles { credentials: Some(path), config: None }.read();
        assert!(profiles.identity("default").is_none());
        let AwsFindingKind::Unusable(why) = &profiles.findings()[0].kind else { panic!("usable") };
        assert_eq!(why, "it has more than 1048576 bytes");
    }
}
