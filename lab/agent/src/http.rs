//! HTTP/1.1, as much as a measured transfer needs: one request for each connection, a body of zeros with its length.
//!
//! `GET /N` answers N bytes, `POST` takes its body and answers 204. Both ends are ours and both are the board's, so what
//! comes from a stranger cannot come here; limits are there so that a mistake ends as an error and not as a hang.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tokkyu_agent::plan::Direction;

use crate::socket;

const PATIENCE: Duration = Duration::from_secs(600);
const HEADER_BYTES: u64 = 4096;
const ZEROS: [u8; 16 * 1024] = [0; 16 * 1024];

/// Answers requests until it is ended.
pub fn serve(address: &str) -> Result<(), String> {
    socket::serve(address, answer)
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut out = stream.try_clone()?;
    let mut input = BufReader::new(stream);
    let (first, length) = read_head(&mut input)?;
    if let Some(bytes) = first.strip_prefix("GET /").and_then(|rest| rest.split(' ').next()?.parse().ok()) {
        write!(out, "HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\nConnection: close\r\n\r\n")?;
        return send_zeros(&mut out, bytes);
    }
    discard(&mut input, length)?;
    write!(out, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
}

/// The first line, and the length that the header states: without one all until the end.
fn read_head(input: &mut impl BufRead) -> std::io::Result<(String, u64)> {
    let mut head = input.take(HEADER_BYTES);
    let mut first = String::new();
    head.read_line(&mut first)?;
    let mut length = u64::MAX;
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 || line == "\r\n" {
            return Ok((first, length));
        }
        if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().map_err(std::io::Error::other)?;
        }
    }
}

fn send_zeros(out: &mut impl Write, bytes: u64) -> std::io::Result<()> {
    let mut left = bytes;
    while left > 0 {
        let now = left.min(ZEROS.len() as u64);
        out.write_all(&ZEROS[..now as usize])?;
        left -= now;
    }
    Ok(())
}

fn discard(input: &mut impl Read, bytes: u64) -> std::io::Result<()> {
    let read = std::io::copy(&mut input.take(bytes), &mut std::io::sink())?;
    match read == bytes || bytes == u64::MAX {
        true => Ok(()),
        false => Err(std::io::Error::other(format!("{read} of {bytes} bytes came"))),
    }
}

/// One request, from connecting to the last byte of the answer.
pub fn request(server: &str, direction: Direction, bytes: u64) -> Result<(), String> {
    exchange(server, direction, bytes).map_err(|error| format!("{server}: {error}"))
}

fn exchange(server: &str, direction: Direction, bytes: u64) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match direction {
        Direction::Get => write!(stream, "GET /{bytes} HTTP/1.1\r\nHost: board\r\n\r\n")?,
        Direction::Post => {
            write!(stream, "POST / HTTP/1.1\r\nHost: board\r\nContent-Length: {bytes}\r\n\r\n")?;
            send_zeros(&mut stream, bytes)?;
        }
    }
    let mut input = BufReader::new(stream);
    let (first, length) = read_head(&mut input)?;
    if !first.starts_with("HTTP/1.1 2") {
        return Err(std::io::Error::other(format!("answered {first:?}")));
    }
    match direction {
        Direction::Get if length == bytes => discard(&mut input, length),
        Direction::Get => {
            Err(std::io::Error::other(format!("{length} bytes were announced, {bytes} asked for")))
        }
        Direction::Post => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn server() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || listener.incoming().for_each(|stream| answer(stream.unwrap()).unwrap()));
        address
    }

    #[test]
    fn bytes_go_both_ways_and_end() {
        let address = server();
        for bytes in [0, 1, 100_000] {
            request(&address, Direction::Get, bytes).unwrap();
            request(&address, Direction::Post, bytes).unwrap();
        }
    }

    #[test]
    fn an_answer_that_breaks_off_is_an_error() {
        assert!(discard(&mut &b"abc"[..], 4).is_err());
        assert!(discard(&mut &b"abcd"[..], 4).is_ok());
    }
}
