//! Where the project keeps files of its user (XDG Base Directory Specification).

use std::ffi::OsString;
use std::path::PathBuf;

/// The project's folder in what `name` says, such as `XDG_CACHE_HOME`, else in `under_home` of `HOME`. A relative value
/// counts as not set; `None` where neither is.
pub(crate) fn folder(
    variable: impl Fn(&str) -> Option<OsString>,
    name: &str,
    under_home: &str,
) -> Option<PathBuf> {
    let said = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = said(name).or_else(|| said("HOME").map(|home| home.join(under_home)))?;
    Some(base.join("tokkyu"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_where_the_specification_has_it() {
        let of = |xdg: Option<&str>, home: Option<&str>| {
            folder(
                |name| if name == "HOME" { home } else { xdg }.map(OsString::from),
                "XDG_STATE_HOME",
                ".local/state",
            )
        };
        assert_eq!(of(Some("/s"), Some("/h")), Some("/s/tokkyu".into()));
        assert_eq!(of(Some("s"), Some("/h")), Some("/h/.local/state/tokkyu".into()));
        assert_eq!(of(None, None), None);
    }
}
