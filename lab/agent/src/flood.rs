//! The background: as much as the network takes, until ended.

use std::io::Write;
use std::net::TcpStream;
use std::thread;

use crate::datagrams;
use crate::socket::Options;

/// Runs until it is ended; a flow that breaks ends it with an error.
pub fn run(kind: &str, address: &str, flows: &str, words: &[&str]) -> Result<(), String> {
    let flows: u32 = flows.parse().map_err(|_| format!("{flows}: not a number of flows"))?;
    let options = Options::read(words)?;
    let flow = match kind {
        "tcp" => tcp,
        "udp" => udp,
        _ => return Err(format!("{kind}: neither tcp nor udp")),
    };
    let flows: Vec<_> = (0..flows)
        .map(|_| {
            let (address, options) = (address.to_owned(), options.clone());
            thread::spawn(move || flow(&address, &options))
        })
        .collect();
    flows.into_iter().try_for_each(|flow| flow.join().map_err(|_| "a flow panicked".to_owned())?)
}

fn tcp(address: &str, options: &Options) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{address}: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    let six = stream.peer_addr().map_err(failed)?.is_ipv6();
    options.set(&stream, six)?;
    write!(stream, "POST / HTTP/1.1\r\nHost: board\r\n\r\n").map_err(failed)?;
    let zeros = [0; 16 * 1024];
    loop {
        stream.write_all(&zeros).map_err(failed)?;
    }
}

fn udp(address: &str, options: &Options) -> Result<(), String> {
    let (socket, to) = datagrams::open(address, options)?;
    let datagram = vec![0; options.bytes];
    loop {
        datagrams::give(&socket, &datagram, to, options.patient)?;
    }
}
