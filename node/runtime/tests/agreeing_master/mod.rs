//! A master that agrees to everything and knows nothing: enough for what happens inside one node.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, write_response_head};
use tokkyu_ros1::xmlrpc::{Value, Writer, read_call};

/// Its address. It runs as long as the test. Parameters in `true_params` are true.
pub fn start(true_params: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let uri = format!("http://{}/", listener.local_addr().expect("it listens"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || talk(stream, true_params));
        }
    });
    uri
}

fn talk(mut stream: TcpStream, true_params: &[&str]) {
    let (mut input, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        input.extend_from_slice(&chunk[..count]);
        while let Ok(Progress::Whole { message, used }) = read_request(&input, 1 << 16) {
            let answer = answer(message.body, true_params);
            input.drain(..used);
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}

fn answer(body: &[u8], true_params: &[&str]) -> String {
    let mut call = read_call(body).expect("a call");
    let key = call.params.last();
    let is_true = matches!(key, Some(Value::Str(key)) if true_params.iter().any(|name| key == *name));
    let registers = call.method == "registerSubscriber" && call.params.next().is_some();
    let (mut body, mut head) = (String::new(), String::new());
    let written = Writer::triple(&mut body, 1, "", |value| {
        if registers { value.array(|_| Ok(())) } else { value.boolean(is_true) }
    });
    written.expect("nothing that cannot be written");
    write_response_head(&mut head, 200, body.len(), true).expect("a head");
    head + &body
}
