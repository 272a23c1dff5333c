//! `site.yaml` (contract/SPEC.md): any text gives limits inside their ranges, or errors that can be printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokkyu_contract::yaml::site;

fuzz_target!(|text: &str| {
    match site::parse("site.yaml", text) {
        Ok(site) => assert!((1280..=9000).contains(&site.link.mtu), "CON-17"),
        Err(errors) => assert!(errors.to_string().starts_with("site.yaml:"), "CON-4: {errors}"),
    }
});
