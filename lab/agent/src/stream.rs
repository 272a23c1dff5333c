//! A stream whose every byte is known at both ends: what arrives is what was sent, byte by byte.
//!
//! `agent give` connects and sends a seed, a length and so many bytes drawn from the seed; `agent take` draws the same and
//! compares. Its answer comes back over the same connection, so the giver tells how it went. `agent reset` connects and breaks off.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use crate::socket::{self, Options};

const PATIENCE: Duration = Duration::from_secs(120);
const BLOCK: usize = 16 * 1024;
const RIGHT: &str = "right";

/// The bytes of a seed, block by block.
struct Blocks {
    random: Pcg64Mcg,
    left: u64,
    block: Box<[u8]>,
}

impl Blocks {
    fn new(seed: u64, bytes: u64) -> Self {
        Blocks { random: Pcg64Mcg::seed_from_u64(seed), left: bytes, block: vec![0; BLOCK].into() }
    }

    fn next(&mut self) -> Option<&[u8]> {
        let bytes = self.left.min(BLOCK as u64);
        self.left -= bytes;
        self.random.fill_bytes(&mut self.block);
        (bytes > 0).then(|| &self.block[..bytes as usize])
    }
}

/// What a giver tells.
#[derive(Debug, Serialize)]
struct Given {
    /// `right`, or where the first byte is that is not.
    answer: String,
    connected_ms: u64,
    took_ms: u64,
}

/// Gives a stream, and prints what the taker says of it.
pub fn give(address: &str, bytes: &str, seed: &str, words: &[&str]) -> Result<(), String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{text}: not a number"));
    let (bytes, seed) = (number(bytes)?, number(seed)?);
    let options = Options::read(words)?;
    let given = connect_and_give(address, bytes, seed, &options)?;
    println!("{}", serde_json::to_string(&given).map_err(|error| error.to_string())?);
    Ok(())
}

fn connect_and_give(address: &str, bytes: u64, seed: u64, options: &Options) -> Result<Given, String> {
    let failed = |error: std::io::Error| format!("{address}: {error}");
    let begin = Instant::now();
    let stream = TcpStream::connect(address).map_err(failed)?;
    let connected = begin.elapsed();
    options.set(&stream, stream.peer_addr().map_err(failed)?.is_ipv6())?;
    let answer = exchange(stream, bytes, seed).map_err(failed)?;
    let ms = |time: Duration| time.as_millis() as u64;
    Ok(Given { answer, connected_ms: ms(connected), took_ms: ms(begin.elapsed()) })
}

fn exchange(mut stream: TcpStream, bytes: u64, seed: u64) -> std::io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&[seed.to_be_bytes(), bytes.to_be_bytes()].concat())?;
    let mut blocks = Blocks::new(seed, bytes);
    while let Some(block) = blocks.next() {
        stream.write_all(block)?;
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Connects, and ends the connection by a RST.
pub fn reset(address: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{address}: {error}");
    let stream = TcpStream::connect(address).map_err(failed)?;
    socket::reset_on_close(&stream).map_err(failed)
}

/// Takes streams until it is ended.
pub fn take(address: &str) -> Result<(), String> {
    socket::serve(address, answer)
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut out = stream.try_clone()?;
    let mut input = BufReader::new(stream);
    let verdict = compare(&mut input)?;
    out.write_all(verdict.as_bytes())
}

/// Reads the stream and tells what was wrong with it first.
fn compare(input: &mut impl Read) -> std::io::Result<String> {
    let mut word = [0; 8];
    input.read_exact(&mut word)?;
    let seed = u64::from_be_bytes(word);
    input.read_exact(&mut word)?;
    let mut blocks = Blocks::new(seed, u64::from_be_bytes(word));
    let (mut came, mut at) = ([0; BLOCK], 0);
    while let Some(wanted) = blocks.next() {
        let came = &mut came[..wanted.len()];
        input.read_exact(came)?;
        if let Some(wrong) = came.iter().zip(wanted).position(|(one, other)| one != other) {
            return Ok(format!("byte {} is wrong", at + wrong));
        }
        at += wanted.len();
    }
    Ok(RIGHT.to_owned())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn stream(seed: u64, bytes: u64) -> Vec<u8> {
        let mut all = [seed.to_be_bytes(), bytes.to_be_bytes()].concat();
        let mut blocks = Blocks::new(seed, bytes);
        while let Some(block) = blocks.next() {
            all.extend_from_slice(block);
        }
        all
    }

    #[test]
    fn a_byte_that_is_wrong_is_found() {
        let mut all = stream(7, 40_000);
        assert_eq!(compare(&mut all.as_slice()).unwrap(), RIGHT);
        all[16 + 20_000] ^= 1;
        assert_eq!(compare(&mut all.as_slice()).unwrap(), "byte 20000 is wrong");
        assert!(compare(&mut &all[..100]).is_err());
    }

    #[test]
    fn a_stream_is_given_and_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || answer(listener.accept().unwrap().0).unwrap());
        let given = connect_and_give(&address, 100_000, 3, &Options::default()).unwrap();
        assert_eq!(given.answer, RIGHT);
    }
}
