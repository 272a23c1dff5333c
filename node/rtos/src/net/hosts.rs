//! Machines by name (NRT-23): what a file of hosts is on Linux.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::Ipv4Addr;
use core::str::FromStr;

/// Names of machines and where they are. The first of a name counts; small and capital letters are the same (RFC 4343).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<(String, Ipv4Addr)>);

impl Hosts {
    pub(super) fn find(&self, name: &str) -> Option<Ipv4Addr> {
        self.0.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, address)| *address)
    }
}

/// Reads `NAME=ADDRESS[,NAME=ADDRESS]`; nothing at all is no names.
impl FromStr for Hosts {
    type Err = String;

    fn from_str(text: &str) -> Result<Hosts, String> {
        let host = |part: &str| {
            let (name, address) = part.split_once('=').filter(|(name, _)| !name.is_empty())?;
            Some((name.to_string(), address.parse().ok()?))
        };
        let parts = text.split(',').filter(|_| !text.is_empty());
        let read = |part| {
            host(part)
                .ok_or_else(|| format!("{part:?} is no NAME=ADDRESS, as in robot=10.0.0.5,laptop=10.0.0.7"))
        };
        parts.map(read).collect::<Result<_, _>>().map(Hosts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_however_it_is_written() {
        let hosts: Hosts = "robot=10.0.0.5,Laptop.local=10.0.0.7,robot=10.0.0.6".parse().expect("hosts");
        assert_eq!(hosts.find("ROBOT"), Some(Ipv4Addr::new(10, 0, 0, 5)));
        assert_eq!(hosts.find("laptop.local"), Some(Ipv4Addr::new(10, 0, 0, 7)));
        assert_eq!(hosts.find("laptop"), None);
        assert_eq!("".parse(), Ok(Hosts::default()));
    }

    #[test]
    fn what_is_no_list_of_hosts_is_named() {
        for (text, named) in [
            ("robot", "\"robot\""),
            ("robot=", "\"robot=\""),
            ("=10.0.0.5", "\"=10.0.0.5\""),
            ("robot=10.0.0.5,", "\"\""),
            ("robot=10.0.0.5,laptop=::1", "\"laptop=::1\""),
        ] {
            let error = text.parse::<Hosts>().expect_err(text);
            assert!(error.starts_with(&format!("{named} is no NAME=ADDRESS")), "{text}: {error}");
        }
    }
}
