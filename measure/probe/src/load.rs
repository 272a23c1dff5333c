//! `load`: bulk TCP that is in the way (PRB-26).

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use nix::sys::socket::{setsockopt, sockopt};

use crate::clock::{Ns, now};
use crate::error::{ProbeError, failed};
use crate::line::{Line, Loaded, say};

/// The paper's writes.
const BLOCK: usize = 512 * 1024;
const TENTH_NS: Ns = 100_000_000;
/// Sockets look at the time this often.
const PATIENCE: Duration = Duration::from_millis(50);
/// Session and direction.
const HELLO: usize = 9;
/// Connections at a time.
const PLACES: usize = 64;
const HELLO_PATIENCE: Duration = Duration::from_secs(5);

/// Who the bytes go to, as who connects sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// To the end that serves.
    Give = b'g' as isize,
    /// From it.
    Take = b't' as isize,
}

/// What the bulk flow is asked to be.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub to: SocketAddr,
    pub session: u64,
    pub direction: Direction,
    pub seconds: f64,
    pub skb_priority: Option<i32>,
    /// `SO_MAX_PACING_RATE`.
    pub pacing_bytes_s: Option<u32>,
    /// `SO_RCVBUF`, which bounds the window that is offered.
    pub window_bytes: Option<usize>,
}

pub fn run(job: &Job) -> Result<(), ProbeError> {
    let told = flow(job).map_err(failed(job.to.to_string()))?;
    say(&Line::Loaded(told)).map_err(failed("output"))
}

fn flow(job: &Job) -> std::io::Result<Loaded> {
    let mut stream = TcpStream::connect(job.to)?;
    if let Some(priority) = job.skb_priority {
        setsockopt(&stream, sockopt::Priority, &priority)?;
    }
    if let Some(rate) = job.pacing_bytes_s {
        set_pacing(&stream, rate)?;
    }
    if let Some(bytes) = job.window_bytes {
        setsockopt(&stream, sockopt::RcvBuf, &bytes)?;
    }
    stream.write_all(&job.session.to_be_bytes())?;
    stream.write_all(&[job.direction as u8])?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let begun = now();
    let end = begun + (job.seconds * 1e9) as Ns;
    let mut told = Loaded::default();
    let mut block = vec![7; BLOCK];
    while now() < end {
        let moved = match job.direction {
            Direction::Give => stream.write(&block),
            Direction::Take => stream.read(&mut block),
        };
        match moved {
            Ok(0) => break,
            Ok(bytes) => note(&mut told, now() - begun, bytes as u64),
            Err(error)
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    told.took_ns = now() - begun;
    Ok(told)
}

fn note(told: &mut Loaded, at: Ns, bytes: u64) {
    let tenth = (at / TENTH_NS) as usize;
    if told.tenths.len() <= tenth {
        told.tenths.resize(tenth + 1, 0);
    }
    told.tenths[tenth] += bytes;
    told.bytes += bytes;
}

fn set_pacing(stream: &TcpStream, bytes_s: u32) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: value and length belong together and outlive the call.
    let done = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MAX_PACING_RATE,
            (&raw const bytes_s).cast(),
            size_of::<u32>() as libc::socklen_t,
        )
    };
    if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// Ends the program when its standard input does: who started it over a network cannot end it otherwise (PRB-41).
pub fn end_with_input() {
    thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}

/// The other end, until it is ended. Who is not `from`, or of another session, is sent away.
pub fn serve(at: SocketAddr, from: IpAddr, session: u64) -> Result<(), ProbeError> {
    let listener = TcpListener::bind(at).map_err(failed(at.to_string()))?;
    let at = listener.local_addr().map_err(failed("socket"))?;
    say(&Line::Listening { at }).map_err(failed("output"))?;
    // One for each place: who holds a copy of it holds the place.
    let places = Arc::new(());
    loop {
        let (stream, peer) = listener.accept().map_err(failed(at.to_string()))?;
        if peer.ip() == from && Arc::strong_count(&places) <= PLACES {
            let place = Arc::clone(&places);
            thread::spawn(move || {
                let _ = serve_one(stream, session);
                drop(place);
            });
        }
    }
}

fn serve_one(mut stream: TcpStream, session: u64) -> std::io::Result<()> {
    let mut hello = [0; HELLO];
    stream.set_read_timeout(Some(HELLO_PATIENCE))?;
    stream.read_exact(&mut hello)?;
    let (word, direction) = hello.split_at(8);
    if word != session.to_be_bytes() {
        return Ok(());
    }
    stream.set_read_timeout(None)?;
    let mut block = vec![7; BLOCK];
    if direction[0] == Direction::Give as u8 {
        while stream.read(&mut block)? > 0 {}
    } else {
        loop {
            stream.write_all(&block)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_fall_into_their_tenth() {
        let mut told = Loaded::default();
        for (at, bytes) in [(0, 5), (TENTH_NS - 1, 6), (2 * TENTH_NS, 7)] {
            note(&mut told, at, bytes);
        }
        assert_eq!((told.bytes, told.tenths), (18, vec![11, 0, 7]));
    }
}
