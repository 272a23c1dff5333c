//! A master that agrees to everything and knows nothing: enough for nodes whose topics do not leave the process (NODE-55).
//!
//! It runs in threads of its own until the process ends; while samples are on their way nobody asks it anything.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, write_response_head};
use tokkyu_ros1::xmlrpc::{WriteError, Writer, read_call};

/// The longest request that is read.
const LONGEST: usize = 1 << 16;

/// Starts it, and tells its address.
///
/// # Errors
/// No socket or no thread.
pub fn start() -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let uri = format!("http://{}/", listener.local_addr()?);
    thread::Builder::new().name("master".into()).spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || drop(talk(stream)));
        }
    })?;
    Ok(uri)
}

/// Answers until the node goes, or says what cannot be understood.
fn talk(mut stream: TcpStream) -> io::Result<()> {
    let (mut input, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        input.extend_from_slice(&chunk[..count]);
        loop {
            let used = match read_request(&input, LONGEST) {
                Ok(Progress::Whole { message, used }) => {
                    let answer = answer(message.body).ok_or(io::ErrorKind::InvalidData)?;
                    stream.write_all(answer.as_bytes())?;
                    used
                }
                Ok(_) => break,
                Err(_) => return Err(io::ErrorKind::InvalidData.into()),
            };
            input.drain(..used);
        }
    }
}

/// Done; nobody publishes what is subscribed to, and no parameter is set (they are all false).
fn answer(body: &[u8]) -> Option<String> {
    let call = read_call(body).ok()?;
    let is_subscribing = call.method == "registerSubscriber";
    let (mut body, mut head) = (String::new(), String::new());
    let written: Result<(), WriteError> = Writer::triple(&mut body, 1, "", |value| {
        if is_subscribing { value.array(|_| Ok(())) } else { value.boolean(false) }
    });
    written.ok()?;
    write_response_head(&mut head, 200, body.len(), true).ok()?;
    Some(head + &body)
}
