//! Heads and bodies (NODE-40).

use proptest::prelude::*;
use tokkyu_ros1::http::{
    HeadError, MAX_HEAD, Refusal, Request, Response, read_request, read_response, write_request_head,
    write_response_head,
};
use tokkyu_ros1::{Buffer, Progress};

const MAX_BODY: usize = 100;

fn request(bytes: &[u8]) -> Result<Progress<Request<'_>>, Refusal> {
    read_request(bytes, MAX_BODY)
}

fn whole_request(text: &str) -> Request<'_> {
    match request(text.as_bytes()) {
        Ok(Progress::Whole { message, used }) if used == text.len() => message,
        other => panic!("{text:?}: {other:?}"),
    }
}

/// The status that a request with this head and five bytes of body is refused with.
fn status(head: &str) -> u16 {
    request(format!("{head}\r\n\r\nhello").as_bytes()).map(|_| 200).unwrap_or_else(Refusal::status)
}

fn status_with(field: &str) -> u16 {
    status(&format!("POST / HTTP/1.1\r\n{field}"))
}

#[test]
fn a_request_is_read_to_the_end_of_its_body_and_not_beyond() {
    let text = b"POST /RPC2 HTTP/1.1\r\nHost: a:1\r\ncontent-LENGTH:5 \r\n\r\nhelloPOST ";
    let message = Request { path: "/RPC2", body: b"hello", keep_alive: true };
    assert_eq!(request(text), Ok(Progress::Whole { message, used: text.len() - 5 }));
    for length in 0..text.len() - 5 {
        assert_eq!(request(&text[..length]), Ok(Progress::More), "{length}");
    }
}

#[test]
fn a_body_may_be_as_long_as_the_caller_allows() {
    let with_body =
        |length: usize| format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{}", "x".repeat(length));
    assert_eq!(whole_request(&with_body(MAX_BODY)).body.len(), MAX_BODY);
    let refused = Err(Refusal::BodyTooLong { max: MAX_BODY });
    assert_eq!(request(with_body(MAX_BODY + 1).as_bytes()), refused);
    let unlimited = read_request(b"POST / HTTP/1.1\nContent-Length: 18446744073709551615\n\n", usize::MAX);
    assert!(matches!(unlimited, Err(Refusal::BodyTooLong { .. })), "no sum overflows");
}

#[test]
fn lines_may_end_in_a_bare_line_feed_and_empty_ones_may_come_first() {
    let request = whole_request("\r\n\n\r\nPOST / HTTP/1.0\nContent-Length: 2\r\nX:\n\nab");
    assert_eq!(request, Request { path: "/", body: b"ab", keep_alive: false });
}

#[test]
fn version_and_connection_say_whether_the_connection_stays() {
    let keep = |version, connection: &str| {
        whole_request(&format!("POST / HTTP/{version}\r\n{connection}Content-Length: 0\r\n\r\n")).keep_alive
    };
    assert!(keep("1.1", "") && keep("1.9", "") && !keep("1.0", ""));
    assert!(keep("1.0", "Connection: Keep-Alive\r\n") && keep("1.0", "connection: te,\tkeep-alive\r\n"));
    assert!(!keep("1.1", "Connection: TE, Close\r\n"));
    assert!(!keep("1.1", "Connection: close\r\nConnection: keep-alive\r\n"), "to close is the safer reading");
}

#[test]
fn what_is_no_call_is_refused_with_the_status_of_the_specification() {
    assert_eq!(status("POST / HTTP/1.1"), 411);
    assert_eq!(status("GET / HTTP/1.1"), 405);
    assert_eq!(status("post / HTTP/1.1\r\nContent-Length: 5"), 405);
    assert_eq!(status_with("Content-Length: 101"), 413);
    assert_eq!(status_with("Content-Length: 18446744073709551621"), 413, "2^64 + 5");
    assert_eq!(status_with("Transfer-Encoding: chunked\r\nContent-Length: 5"), 501);
    assert_eq!(status_with("Transfer-Encoding: identity"), 501);
    for line in [
        "POST /",
        "POST  / HTTP/1.1",
        "POST / HTTP/1.1 ",
        " POST / HTTP/1.1",
        "POST / HTTP/2.0",
        "POST / HTTP/1.",
        "POST / HTTP/1.11",
        "POST / http/1.1",
        "P(ST / HTTP/1.1",
        "POST /\u{e9} HTTP/1.1",
        "POST /\r HTTP/1.1",
        "\r",
    ] {
        assert_eq!(status(&format!("{line}\r\nContent-Length: 5")), 400, "{line:?}");
    }
}

#[test]
fn a_field_that_two_readers_may_take_differently_is_refused() {
    for length in ["+5", "-5", "5 5", "5, 5", "0x5", "5;", "", " ", "\u{0665}", "5\0", "5\r"] {
        assert_eq!(status_with(&format!("Content-Length: {length}")), 400, "{length:?}");
    }
    assert_eq!(status_with("Content-Length: 5\r\nContent-Length: 6"), 400);
    assert_eq!(status_with("Content-Length: 5\r\nContent-Length: 05"), 200, "the same length twice");
    for field in [
        "Host: a\r\n folded",
        "Host: a\r\n\tfolded",
        "Host : a",
        ": a",
        "Host",
        "Ho st: a",
        "H\u{e9}: a",
        "Host: a\rb",
        "Host: a\0b",
    ] {
        assert_eq!(status_with(&format!("Content-Length: 5\r\n{field}")), 400, "{field:?}");
        assert_eq!(status_with(&format!("{field}\r\nContent-Length: 5")), 400, "{field:?}");
    }
    assert_eq!(status_with("Content-Length: 5\r\nX-Name: \u{e9}"), 200, "values may have other bytes");
}

#[test]
fn a_head_has_8192_bytes_and_64_lines_and_no_more() {
    let padded = |bytes: usize| {
        let (begin, end) = ("POST / HTTP/1.1\r\nContent-Length: 0\r\nX: ", "\r\n\r\n");
        format!("{begin}{}{end}", "x".repeat(bytes - begin.len() - end.len()))
    };
    assert_eq!(whole_request(&padded(MAX_HEAD)).path, "/");
    let long = padded(MAX_HEAD + 1);
    assert_eq!(request(long.as_bytes()), Err(Refusal::HeadTooLong));
    assert_eq!(request(&long.as_bytes()[..MAX_HEAD - 1]), Ok(Progress::More));
    assert_eq!(request(&long.as_bytes()[..MAX_HEAD]), Err(Refusal::HeadTooLong));
    assert_eq!(request(&[b'\n'; MAX_HEAD]), Err(Refusal::HeadTooLong), "empty lines count");

    let lines = |count: usize| {
        format!("POST / HTTP/1.1\r\nContent-Length: 0\r\n{}\r\n", "X: y\r\n".repeat(count - 2))
    };
    assert_eq!(whole_request(&lines(64)).path, "/");
    assert_eq!(request(lines(65).as_bytes()), Err(Refusal::HeadTooLong));
    assert_eq!(Refusal::HeadTooLong.status(), 431);
}

fn response(text: &str, ended: bool) -> Result<Progress<Response<'_>>, Refusal> {
    read_response(text.as_bytes(), ended, MAX_BODY)
}

#[test]
fn an_answer_with_a_length_is_as_long_as_that() {
    let text = "HTTP/1.1 200 OK\r\nContent-length: 3\r\n\r\nabcHTTP";
    let message = Response { status: 200, body: b"abc", keep_alive: true };
    assert_eq!(response(text, false), Ok(Progress::Whole { message, used: text.len() - 4 }));
    assert_eq!(response(&text[..text.len() - 5], false), Ok(Progress::More));
    assert_eq!(response(&text[..text.len() - 5], true), Err(Refusal::Ended));
    assert_eq!(response(&text[..20], true), Err(Refusal::Ended));
    assert_eq!(response("", true), Err(Refusal::Ended));
}

#[test]
fn an_answer_without_a_length_goes_on_until_the_connection_ends() {
    let text = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nabc";
    assert_eq!(response(text, false), Ok(Progress::More));
    let message = Response { status: 200, body: b"abc", keep_alive: false };
    assert_eq!(response(text, true), Ok(Progress::Whole { message, used: text.len() }));
    let long = format!("{text}{}", "d".repeat(MAX_BODY));
    for ended in [false, true] {
        assert_eq!(response(&long, ended), Err(Refusal::BodyTooLong { max: MAX_BODY }));
    }
}

#[test]
fn an_answer_that_has_no_body_ends_with_its_head() {
    for (status, line) in [(100, "100 Continue"), (204, "204"), (304, "304 ")] {
        let head = format!("HTTP/1.1 {line}\r\n\r\n");
        let message = Response { status, body: b"", keep_alive: true };
        let more = format!("{head}HTTP/1.1 200 OK\r\n");
        assert_eq!(response(&more, false), Ok(Progress::Whole { message, used: head.len() }));
    }
}

#[test]
fn an_answer_that_is_none_is_refused() {
    for line in [
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000",
        "HTTP/1.1 099 No",
        "HTTP/1.1 +20",
        "HTTP/1.1",
        "HTTP/2 200 OK",
        "200 OK",
    ] {
        let refused = response(&format!("{line}\r\nContent-Length: 0\r\n\r\n"), false).map(|_| 200);
        assert_eq!(refused.map_err(Refusal::status), Err(400), "{line}");
    }
    let pieces = response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false);
    assert_eq!(pieces, Err(Refusal::TransferEncoding));
}

#[test]
fn what_is_written_is_read_and_nothing_breaks_out_of_its_line() {
    let mut head = String::new();
    write_request_head(&mut head, "a:11311", "/RPC2", 2).unwrap();
    let text = format!("{head}ab");
    assert_eq!(whole_request(&text), Request { path: "/RPC2", body: b"ab", keep_alive: true });
    for (host, path) in [("a\r\nX: y", "/"), ("a", "/ HTTP/1.0\r\n"), ("a", ""), ("", "/"), ("a", "/\u{e9}")]
    {
        let written = write_request_head(&mut String::new(), host, path, 0);
        assert!(matches!(written, Err(HeadError::Argument(_))), "{host:?} {path:?}");
    }
    for (status, keep_alive) in [(200, true), (405, false), (599, true)] {
        let mut head = String::new();
        write_response_head(&mut head, status, 1, keep_alive).unwrap();
        assert_eq!(head.contains("\r\nAllow: POST\r\n"), status == 405);
        let text = format!("{head}a");
        let message = Response { status, body: b"a", keep_alive };
        assert_eq!(response(&text, false), Ok(Progress::Whole { message, used: text.len() }));
    }
    assert_eq!(write_response_head(&mut String::new(), 99, 0, true), Err(HeadError::Argument("status")));
}

#[test]
fn a_head_that_does_not_fit_is_an_error() {
    let mut memory = [0; 200];
    let mut buffer = Buffer::new(&mut memory);
    write_request_head(&mut buffer, "a", "/", 7).unwrap();
    let whole = buffer.as_bytes().len();
    buffer.clear();
    assert_eq!(buffer.as_bytes(), b"");
    for length in 0..whole {
        let written = write_request_head(&mut Buffer::new(&mut memory[..length]), "a", "/", 7);
        assert_eq!(written, Err(HeadError::Full), "{length}");
    }
    assert_eq!(write_request_head(&mut Buffer::new(&mut memory[..whole]), "a", "/", 7), Ok(()));
}

/// Lines that are nearly heads.
fn heads() -> impl Strategy<Value = Vec<u8>> {
    let pieces: &[&[u8]] = &[
        b"POST / HTTP/1.1",
        b"HTTP/1.1 200 OK",
        b"HTTP/1.0 204 No",
        b"\r\n",
        b"\r\n",
        b"\n",
        b"\r\n\r\n",
        b"Content-Length: 3",
        b"Content-Length: 333",
        b"Connection: close",
        b"Transfer-Encoding: x",
        b": ",
        b" ",
        b"abc",
        b"\xff",
        b"\r",
    ];
    let piece = prop::sample::select(pieces);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_read_does_not_depend_on_how_the_bytes_came(bytes in heads()) {
        let (asked, answered) = (request(&bytes), read_response(&bytes, false, MAX_BODY));
        for length in 0..bytes.len() {
            let part = &bytes[..length];
            let early = request(part);
            prop_assert!(early == Ok(Progress::More) || early == asked, "{} {:?} {:?}", length, early, asked);
            let early = read_response(part, false, MAX_BODY);
            prop_assert!(early == Ok(Progress::More) || early == answered, "{} {:?} {:?}", length, early, answered);
        }
    }

    #[test]
    fn what_is_used_is_there_and_the_body_is_its_end(bytes in heads(), ended: bool) {
        if let Ok(Progress::Whole { message, used }) = read_response(&bytes, ended, MAX_BODY) {
            prop_assert!(bytes[..used].ends_with(message.body) && message.body.len() <= MAX_BODY);
        }
        if let Ok(Progress::Whole { message, used }) = request(&bytes) {
            prop_assert!(bytes[..used].ends_with(message.body) && message.body.len() <= MAX_BODY);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), ended: bool) {
        let refused = read_response(&bytes, ended, MAX_BODY).err().into_iter().chain(request(&bytes).err());
        for refusal in refused {
            prop_assert!((400..=501).contains(&refusal.status()));
            prop_assert!(!refusal.to_string().is_empty());
        }
    }
}
