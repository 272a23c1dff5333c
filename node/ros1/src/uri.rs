//! Where nodes are (NODE-47): `http://HOST:PORT/` for their XML-RPC, `rosrpc://HOST:PORT` for their services.

use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};

/// What is spoken there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// XML-RPC.
    Http,
    /// A service by TCPROS.
    Rosrpc,
}

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host<'a> {
    /// A name for the resolver.
    Name(&'a str),
    /// An address.
    V4(Ipv4Addr),
    /// An address; written in brackets.
    V6(Ipv6Addr),
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uri<'a> {
    /// What is spoken there.
    pub scheme: Scheme,
    /// The machine.
    pub host: Host<'a>,
    /// The TCP port, not 0.
    pub port: u16,
}

/// What is wrong with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UriError {
    /// Neither `http` nor `rosrpc`.
    Scheme,
    /// No host.
    Host,
    /// No port.
    Port,
    /// Something behind the port.
    Path,
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UriError::Scheme => "no scheme of ROS; write http://HOST:PORT/ or rosrpc://HOST:PORT",
            UriError::Host => {
                "no host; write a name of letters, digits, . - and _, an IPv4 address, or an IPv6 address (in brackets where a port follows)"
            }
            UriError::Port => "no port; write :PORT behind the host, 1 to 65535",
            UriError::Path => "something behind the port; write http://HOST:PORT/ or rosrpc://HOST:PORT",
        })
    }
}

impl core::error::Error for UriError {}

impl<'a> Uri<'a> {
    /// Reads an address. A slash at its end may be there or not, whatever the scheme.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &'a str) -> Result<Uri<'a>, UriError> {
        let (scheme, rest) = text.split_once("://").ok_or(UriError::Scheme)?;
        let scheme = match scheme {
            http if http.eq_ignore_ascii_case("http") => Scheme::Http,
            rosrpc if rosrpc.eq_ignore_ascii_case("rosrpc") => Scheme::Rosrpc,
            _ => return Err(UriError::Scheme),
        };
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !path.is_empty() {
            return Err(UriError::Path);
        }
        // The last colon: those before it are an IPv6 address's.
        let (host, port) = place.rsplit_once(':').filter(|_| !place.ends_with(']')).ok_or(UriError::Port)?;
        let host = match host.strip_prefix('[') {
            Some(rest) => {
                Host::V6(rest.strip_suffix(']').and_then(|v6| v6.parse().ok()).ok_or(UriError::Host)?)
            }
            None if host.contains(':') => return Err(UriError::Host),
            None => Host::parse(host)?,
        };
        Ok(Uri { scheme, host, port: port_of(port)? })
    }
}

fn port_of(text: &str) -> Result<u16, UriError> {
    // A number's own parser would take a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&port| digits && port > 0).ok_or(UriError::Port)
}

impl<'a> Host<'a> {
    /// Reads a host, an IPv6 address without brackets.
    ///
    /// # Errors
    /// [`UriError::Host`].
    pub fn parse(text: &'a str) -> Result<Host<'a>, UriError> {
        if let Ok(v4) = text.parse() {
            return Ok(Host::V4(v4));
        }
        if let Ok(v6) = text.parse() {
            return Ok(Host::V6(v6));
        }
        let of_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        // Digits and dots alone would be an address, and are none.
        let named = text.bytes().any(|byte| byte != b'.' && !byte.is_ascii_digit());
        // RFC 1035, section 2.3.4, less the ends.
        let good = text.len() <= 253 && named && text.bytes().all(of_name) && !text.starts_with(['.', '-']);
        if good { Ok(Host::Name(text)) } else { Err(UriError::Host) }
    }
}

impl fmt::Display for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::V4(v4) => v4.fmt(f),
            Host::V6(v6) => write!(f, "[{v6}]"),
        }
    }
}

impl fmt::Display for Uri<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scheme {
            Scheme::Http => write!(f, "http://{}:{}/", self.host, self.port),
            Scheme::Rosrpc => write!(f, "rosrpc://{}:{}", self.host, self.port),
        }
    }
}

/// What a node says of itself: `ROS_HOSTNAME`, else `ROS_IP`, else the machine's name. A variable that is empty counts as not there.
///
/// A node that was started with `__hostname` or `__ip` gives these two in place of both variables.
///
/// # Errors
/// [`UriError::Host`]: the first of them that is there is no host.
pub fn own_host<'a>(
    hostname_var: Option<&'a str>,
    ip_var: Option<&'a str>,
    machine: &'a str,
) -> Result<Host<'a>, UriError> {
    let given = |var: Option<&'a str>| var.filter(|text| !text.is_empty());
    Host::parse(given(hostname_var).or(given(ip_var)).unwrap_or(machine))
}
