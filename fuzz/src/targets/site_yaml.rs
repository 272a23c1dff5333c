//! `site.yaml` (contract/SPEC.md): any text gives limits inside their ranges, or errors that can be printed.

use tokkyu_contract::yaml::site;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match site::parse("site.yaml", text) {
        Ok(site) => assert!((1280..=9000).contains(&site.link.mtu), "CON-17"),
        Err(errors) => assert!(errors.to_string().starts_with("site.yaml:"), "CON-4: {errors}"),
    }
}
