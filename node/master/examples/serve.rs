//! This master on Linux, for tests among ROS 1's nodes: `serve [--core] [-p PORT]`, as rosmaster is called. It listens on loopback alone, and
//! says where. Ends when it is told to.
//!
//! Ports of nodes are free ones, those of masters are known before: connections to PORT go on to the one that it has.

use std::io::copy;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread::spawn;

use tokkyu_callbacks::port::port;
use tokkyu_node as _;
use tokkyu_node_master::serve;

/// Both ways, until either end closes it.
fn pass_on(from: TcpStream, to: u16) -> std::io::Result<()> {
    let to = TcpStream::connect(("127.0.0.1", to))?;
    let (mut back_from, mut back_to) = (to.try_clone()?, from.try_clone()?);
    spawn(move || {
        let _ = copy(&mut back_from, &mut back_to);
        let _ = back_to.shutdown(Shutdown::Both);
    });
    let (mut from, mut to) = (from, to);
    copy(&mut from, &mut to)?;
    to.shutdown(Shutdown::Both)
}

fn run(known: u16) -> std::io::Result<()> {
    let door = TcpListener::bind(("127.0.0.1", known))?;
    spawn(move || {
        let said = serve(port(), Ipv4Addr::LOCALHOST.into(), std::process::id() as i32, |uri| {
            println!("ready {uri}");
            let own = uri.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
            spawn(move || {
                door.incoming()
                    .flatten()
                    .for_each(|stream| drop(spawn(move || pass_on(stream, own.unwrap_or(0)))))
            });
        });
        eprintln!("serve: {said:?}");
        std::process::exit(1);
    })
    .join()
    .map_err(|_| std::io::ErrorKind::Other.into())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let known =
        arguments.iter().skip_while(|word| *word != "-p").nth(1).map_or(Ok(11_311), |port| port.parse());
    match known.map(run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("serve: {error}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("serve: -p: {error}");
            ExitCode::from(2)
        }
    }
}
