//! Requests and answers of HTTP, and the calls and answers in them: any bytes are read or refused, however they come; all of what is read is
//! walked, written again, and read the same.

use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, read_response};
use tokkyu_ros1::xmlrpc::{Answer, Items, Triple, Value, WriteError, Writer, read_answer, read_call};

const MAX_BODY: usize = 2000;

/// Whether what was read of the first bytes alone is no other thing than what was read of all.
fn agree<T: PartialEq, E: PartialEq>(early: &Result<Progress<T>, E>, all: &Result<Progress<T>, E>) -> bool {
    matches!(early, Ok(Progress::More)) || early == all
}

/// The bodies in these bytes.
fn bodies(bytes: &[u8]) -> [Option<&[u8]>; 2] {
    let (request, response) = (read_request(bytes, MAX_BODY), read_response(bytes, false, MAX_BODY));
    for length in [bytes.len() / 3, bytes.len() / 2, bytes.len().saturating_sub(1)] {
        assert!(agree(&read_request(&bytes[..length], MAX_BODY), &request));
        assert!(agree(&read_response(&bytes[..length], false, MAX_BODY), &response));
    }
    let request = match request {
        Ok(Progress::Whole { message, used }) => {
            assert!(bytes[..used].ends_with(message.body));
            Some(message.body)
        }
        _ => None,
    };
    let response = match read_response(bytes, true, MAX_BODY) {
        Ok(Progress::Whole { message, .. }) => Some(message.body),
        Ok(Progress::More) => panic!("more, and the connection has ended"),
        Err(_) => None,
    };
    [request, response]
}

/// Both are the same to their ends. Doubles that are not finite cannot be written, and are not here.
fn same(one: Value<'_>, other: Value<'_>) -> bool {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => one == other,
        (Value::Long(one), Value::Long(other)) => one == other,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Double(one), Value::Double(other)) => one.to_bits() == other.to_bits(),
        (Value::Str(one), Value::Str(other)) | (Value::DateTime(one), Value::DateTime(other)) => {
            one.plain().is_none_or(|plain| one == *plain) && one == other
        }
        (Value::Base64(one), Value::Base64(other)) => one.bytes().eq(other.bytes()),
        (Value::Array(one), Value::Array(other)) => all_same(one, other),
        (Value::Struct(one), Value::Struct(other)) => {
            let count = one.len();
            let pairs = one.zip(other);
            count == other.len()
                && count == pairs.filter(|(one, other)| one.0 == other.0 && same(one.1, other.1)).count()
        }
        (Value::Nil, Value::Nil) => true,
        _ => false,
    }
}

fn all_same(one: Items<'_>, other: Items<'_>) -> bool {
    let count = one.len();
    count == other.len() && count == one.zip(other).filter(|(one, other)| same(*one, *other)).count()
}

fn call(body: &[u8]) {
    let Ok(call) = read_call(body) else { return };
    let mut again = String::new();
    let method = call.method.to_string();
    match Writer::call(&mut again, &method, |out| call.params.clone().try_for_each(|value| out.value(value)))
    {
        Err(WriteError::NotFinite(_)) => {}
        Err(error) => panic!("what was read cannot be written: {error}"),
        Ok(()) => {
            let read = read_call(again.as_bytes()).expect("what was written");
            assert!(read.method == *method && all_same(call.params, read.params));
        }
    }
}

fn answer(body: &[u8]) {
    let Ok(answer) = read_answer(body) else { return };
    let _ = Triple::of(answer).map_err(|error| error.to_string());
    let mut again = String::new();
    let written = match answer {
        Answer::Value(value) => Writer::answer(&mut again, |out| out.value(value)),
        Answer::Fault { code, text } => Writer::fault(&mut again, code, &text.to_string()),
    };
    match (written, answer, read_answer(again.as_bytes())) {
        (Err(WriteError::NotFinite(_)), ..) => {}
        (Ok(()), Answer::Value(one), Ok(Answer::Value(other))) => assert!(same(one, other)),
        (Ok(()), Answer::Fault { code, text }, Ok(Answer::Fault { code: other, text: said })) => {
            assert!(code == other && text == said);
        }
        other => panic!("what was read is not written again: {other:?}"),
    }
}

/// Takes one input.
pub fn run(bytes: &[u8]) {
    for body in bodies(bytes).into_iter().flatten().chain([bytes]) {
        call(body);
        answer(body);
    }
}
