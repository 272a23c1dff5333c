//! Our key and those we trust, from the command line or the site.

use std::path::{Path, PathBuf};

use tokkyu_contract::yaml::site::LinkSite;
use tokkyu_link::carrier::{PublicKey, SecretKey, TrustStore};

use super::DriveError;

/// Our key: the one given, else the site's.
pub(crate) fn identity(given: Option<&Path>, site: &LinkSite) -> Result<SecretKey, DriveError> {
    let path = given.or(site.identity.as_deref()).ok_or(DriveError::NoIdentity)?;
    Ok(SecretKey::load(path)?)
}

/// Keys of peers: those given, else the site's.
pub(crate) fn trusted(given: &[PathBuf], site: &LinkSite) -> Result<TrustStore, DriveError> {
    let paths = if given.is_empty() { &site.trust } else { given };
    let mut keys: Vec<PublicKey> = Vec::new();
    for path in paths {
        keys.extend(TrustStore::load(path)?.iter().map(|trusted| trusted.key));
    }
    if keys.is_empty() { Err(DriveError::NobodyTrusted) } else { Ok(TrustStore::of(keys)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use tokkyu_link::carrier::KeyError;

    #[test]
    fn keys_given_on_the_command_line_stand_before_those_of_the_site() {
        let dir = tempfile::tempdir().unwrap();
        let [ours, sites] = ["ours", "sites"].map(|name| dir.path().join(name));
        let key = SecretKey::create(&ours, "vehicle").unwrap();
        let other = SecretKey::create(&sites, "site").unwrap();
        let site = LinkSite {
            identity: Some(sites.clone()),
            trust: vec![dir.path().join("sites.pub")],
            ..LinkSite::default()
        };
        assert_eq!(identity(Some(&ours), &site).unwrap().public(), key.public());
        assert_eq!(identity(None, &site).unwrap().public(), other.public());
        assert!(trusted(&[], &site).unwrap().contains(&other.public()));
        let given = trusted(&[dir.path().join("ours.pub")], &site).unwrap();
        assert!(given.contains(&key.public()) && !given.contains(&other.public()));
    }

    #[test]
    fn a_missing_or_open_key_is_an_error_with_its_remedy() {
        let (dir, site) = (tempfile::tempdir().unwrap(), LinkSite::default());
        let path = dir.path().join("key");
        assert!(matches!(identity(None, &site), Err(DriveError::NoIdentity)));
        assert!(matches!(trusted(&[], &site), Err(DriveError::NobodyTrusted)));
        assert!(matches!(identity(Some(&path), &site), Err(DriveError::Key(KeyError::Read { .. }))));
        SecretKey::create(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let error = identity(Some(&path), &site).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
        assert_eq!(error.exit_code().number(), 2);
    }
}
