//! A master that agrees to everything and knows only who publishes: enough for what happens inside one process.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, write_response_head};
use tokkyu_ros1::xmlrpc::{Value, Writer, read_call};

/// Topics and the URIs of those who publish them, in the order in which they came. Nobody is told of later ones.
type Publishers = Arc<Mutex<Vec<(String, String)>>>;

/// Its address. It runs as long as the test. Parameters in `true_params` are true.
pub fn start(true_params: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let uri = format!("http://{}/", listener.local_addr().expect("it listens"));
    let publishers = Publishers::default();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let publishers = publishers.clone();
            std::thread::spawn(move || talk(stream, true_params, &publishers));
        }
    });
    uri
}

fn talk(mut stream: TcpStream, true_params: &[&str], publishers: &Publishers) {
    let (mut input, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        input.extend_from_slice(&chunk[..count]);
        while let Ok(Progress::Whole { message, used }) = read_request(&input, 1 << 16) {
            let answer = answer(message.body, true_params, publishers);
            input.drain(..used);
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}

fn answer(body: &[u8], true_params: &[&str], publishers: &Publishers) -> String {
    let call = read_call(body).expect("a call");
    let words: Vec<String> = call.params.map_while(text).collect();
    let (mut body, mut head) = (String::new(), String::new());
    let mut publishers = publishers.lock().unwrap_or_else(PoisonError::into_inner);
    let written =
        Writer::triple(&mut body, 1, "", |value| match (call.method.to_string().as_str(), &words[..]) {
            ("registerPublisher", [_, topic, _, uri]) => {
                publishers.push((topic.clone(), uri.clone()));
                value.array(|_| Ok(()))
            }
            ("registerSubscriber", [_, topic, ..]) => value.array(|value| {
                let of_topic = publishers.iter().filter(|(other, _)| other == topic);
                of_topic.into_iter().try_for_each(|(_, uri)| value.string(uri))
            }),
            (_, words) => value.boolean(words.last().is_some_and(|key| true_params.contains(&key.as_str()))),
        });
    written.expect("nothing that cannot be written");
    write_response_head(&mut head, 200, body.len(), true).expect("a head");
    head + &body
}

fn text(value: Value<'_>) -> Option<String> {
    if let Value::Str(text) = value { Some(text.to_string()) } else { None }
}
