//! Addresses (NODE-47).

use proptest::prelude::*;
use tokkyu_ros1::uri::{Host, Scheme, Uri, UriError, own_host};

/// As it is written by us.
fn again(text: &str) -> Result<String, UriError> {
    Uri::parse(text).map(|uri| uri.to_string())
}

#[test]
fn addresses_are_read_and_written() {
    let uri = Uri::parse("http://robot-1.local:11311").unwrap();
    assert_eq!(uri, Uri { scheme: Scheme::Http, host: Host::Name("robot-1.local"), port: 11311 });
    for text in [
        "http://ros_1:1/",
        "http://127.0.0.1:65535/",
        "rosrpc://[fe80::1]:80",
        "http://[::1]:8080/",
        "rosrpc://a:1",
    ] {
        assert_eq!(again(text).as_deref(), Ok(text));
    }
    assert_eq!(again("HTTP://a:1").as_deref(), Ok("http://a:1/"));
    assert_eq!(again("rosrpc://a:01/").as_deref(), Ok("rosrpc://a:1"));
}

#[test]
fn what_is_no_address_is_refused_by_its_part() {
    for (text, part) in [
        ("", UriError::Scheme),
        ("a:1", UriError::Scheme),
        ("https://a:1/", UriError::Scheme),
        (" http://a:1/", UriError::Scheme),
        ("http://:1/", UriError::Host),
        ("http://a b:1/", UriError::Host),
        ("http://user@a:1/", UriError::Host),
        ("http://a\r\n:1/", UriError::Host),
        ("http://-a:1/", UriError::Host),
        ("http://1.2.3.256:1/", UriError::Host),
        ("http://1.2.3:1/", UriError::Host),
        ("http://fe80::1:1/", UriError::Host),
        ("http://[fe80::1:1/", UriError::Host),
        ("http://[a]:1/", UriError::Host),
        ("http://[::1]2:1/", UriError::Host),
        ("http://a/", UriError::Port),
        ("http://[::1]/", UriError::Port),
        ("http://a:/", UriError::Port),
        ("http://a:0/", UriError::Port),
        ("http://a:65536/", UriError::Port),
        ("http://a:+1/", UriError::Port),
        ("http://a:1 /", UriError::Port),
        ("http://a:1/RPC2", UriError::Path),
        ("http://a:1//", UriError::Path),
    ] {
        assert_eq!(again(text), Err(part), "{text:?}");
    }
    assert_eq!(Host::parse(&"a".repeat(254)), Err(UriError::Host));
}

#[test]
fn a_node_says_its_hostname_else_its_ip_else_the_machines_name() {
    let own = |hostname, ip| own_host(hostname, ip, "machine").map(|host| host.to_string());
    assert_eq!(own(Some("robot"), Some("10.0.0.1")).as_deref(), Ok("robot"));
    assert_eq!(own(None, Some("10.0.0.1")).as_deref(), Ok("10.0.0.1"));
    assert_eq!(own(Some(""), Some("::1")).as_deref(), Ok("[::1]"));
    assert_eq!(own(Some(""), Some("")).as_deref(), Ok("machine"));
    assert_eq!(own(Some("robot:80"), Some("10.0.0.1")), Err(UriError::Host));
    assert_eq!(own_host(None, None, ""), Err(UriError::Host));
}

proptest! {
    #[test]
    fn an_address_that_is_read_is_written_and_read_the_same(text in "(http|rosrpc)://([a-c.:0-9]{0,6}|[\\[\\]:1.a-]{0,9}):[0-9]{1,5}/?") {
        if let Ok(uri) = Uri::parse(&text) {
            let written = uri.to_string();
            prop_assert_eq!(Uri::parse(&written), Ok(uri));
        }
    }

    #[test]
    fn any_text_is_an_address_or_none(text in ".*", rest in ".*") {
        let long = format!("http://{text}:{rest}");
        for text in [&text, &long] {
            prop_assert!(Uri::parse(text).map_or_else(|error| !error.to_string().is_empty(), |uri| uri.port > 0));
        }
    }
}
