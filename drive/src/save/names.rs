//! Folder names for flows.
//!
//! Pure. Invariants: a name has only letters, digits, `-`, `_` and `.`, does not begin with a dot and is never empty,
//! so no flow's name leads out of the folder; two flows never share a name.

use std::collections::{HashMap, HashSet};

/// Longest name; file systems take 255 bytes.
const LONGEST: usize = 80;

/// The names given so far.
#[derive(Default)]
pub(super) struct Names {
    given: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Names {
    /// The folder of `flow`, the same each time.
    pub(super) fn folder(&mut self, flow: &str) -> &str {
        if !self.given.contains_key(flow) {
            let name = self.free(plain(flow));
            self.taken.insert(name.clone());
            self.given.insert(flow.to_owned(), name);
        }
        &self.given[flow]
    }

    fn free(&self, name: String) -> String {
        if !self.taken.contains(&name) {
            return name;
        }
        // `camera/front` and `camera_front` are two flows.
        let numbered = (2u64..).map(|number| format!("{name}_{number}"));
        numbered.into_iter().find(|name| !self.taken.contains(name)).unwrap_or(name)
    }
}

fn plain(flow: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '_' };
    let name: String = flow.trim_matches('/').chars().take(LONGEST).map(allowed).collect();
    match name.as_bytes().first() {
        None => "_".to_owned(),
        Some(b'.') => format!("_{}", &name[1..]),
        Some(_) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_flow_gets_its_name_with_the_slash_made_harmless() {
        assert_eq!(Names::default().folder("camera/front"), "camera_front");
    }

    #[test]
    fn two_flows_that_would_share_a_folder_get_two() {
        let mut names = Names::default();
        assert_eq!(names.folder("a/b"), "a_b");
        assert_eq!(names.folder("a_b"), "a_b_2");
        assert_eq!(names.folder("a b"), "a_b_3");
        assert_eq!(names.folder("a_b"), "a_b_2");
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_the_folder(flow in "\\PC{0,120}") {
            for flow in [flow.clone(), format!("../{flow}"), format!("/{flow}")] {
                let name = plain(&flow);
                prop_assert!(!name.is_empty() && !name.starts_with('.') && name.len() <= LONGEST);
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
            }
        }
    }
}
