//! Options for `lbe` that `tc` cannot produce: attributes of wrong length, unknown ones, garbage. Written by hand, as no
//! library that is any good would write them.

use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};
use nix::net::if_::if_nametoindex;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const RTM_NEWQDISC: u16 = 36;
/// Request, and say how it ended.
const FLAGS: u16 = 1 | 4;
const ROOT: u32 = 0xffff_ffff;
const HANDLE: u32 = 0x0001_0000;
const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
const NESTED: u16 = 1 << 15;
const ERROR_AT: usize = 16;

/// As in `lbe_uapi.h`.
const MODE: u16 = 1;
const LIMIT: u16 = 2;
const MAX_HOLD: u16 = 3;
const DEVICE_QUEUE: u16 = 4;
const BUDGET: u16 = 5;
const SWITCHES: u16 = 6;
const UNKNOWN: u16 = 7;

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len() as u16;
    let mut bytes = [length.to_ne_bytes(), kind.to_ne_bytes()].concat();
    bytes.extend_from_slice(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn number(kind: u16, value: u32) -> Vec<u8> {
    attribute(kind, &value.to_ne_bytes())
}

fn switches(value: u32, selector: u32) -> Vec<u8> {
    attribute(SWITCHES, &[value.to_ne_bytes(), selector.to_ne_bytes()].concat())
}

/// Names, and what stands in the options.
fn cases() -> Vec<(&'static str, Vec<u8>)> {
    let cut_off = [100_u16.to_ne_bytes(), LIMIT.to_ne_bytes(), [1, 2]].concat();
    vec![
        ("one byte for a number", attribute(LIMIT, &[1])),
        ("eight bytes for a number", attribute(MAX_HOLD, &[0; 8])),
        ("no bytes for a number", attribute(BUDGET, &[])),
        ("four bytes for the switches", number(SWITCHES, 1)),
        ("switches nobody has", switches(1 << 31, 1 << 31)),
        ("switches not selected", switches(1, 0)),
        ("an unknown attribute", number(UNKNOWN, 1)),
        ("a far unknown attribute", number(200, 1)),
        ("attribute 0", number(0, 1)),
        ("a number as a nest", number(MODE | NESTED, 1)),
        ("longer than its nest", cut_off),
        ("bytes behind the last", [number(LIMIT, 7), vec![9, 9]].concat()),
        ("a good one before a bad one", [number(LIMIT, 7), number(UNKNOWN, 1)].concat()),
        ("mode out of range", number(MODE, 3)),
        ("limit out of range", number(LIMIT, 0)),
        ("max_hold out of range", number(MAX_HOLD, 3_600_000_001)),
        ("device_queue out of range", number(DEVICE_QUEUE, (1 << 24) + 1)),
        ("budget out of range", number(BUDGET, 65)),
    ]
}

struct Route {
    socket: Socket,
    device: u32,
}

impl Route {
    fn open(device: &str) -> Result<Route, String> {
        let failed = |error: std::io::Error| format!("netlink: {error}");
        let mut socket = Socket::new(NETLINK_ROUTE).map_err(failed)?;
        socket.bind_auto().map_err(failed)?;
        socket.connect(&SocketAddr::new(0, 0)).map_err(failed)?;
        let device = if_nametoindex(device).map_err(|error| format!("{device}: {error}"))?;
        Ok(Route { socket, device })
    }

    /// Changes the qdisc, and returns the error: 0 for none.
    fn change(&self, options: Vec<u8>, kind: u16) -> Result<i32, String> {
        let failed = |error: std::io::Error| format!("netlink: {error}");
        let mut body = vec![0; 4];
        body.extend([self.device, HANDLE, ROOT, 0].iter().flat_map(|word| word.to_ne_bytes()));
        body.extend(attribute(TCA_KIND, b"lbe\0"));
        body.extend(attribute(kind, &options));
        let mut message = (16 + body.len() as u32).to_ne_bytes().to_vec();
        message.extend([RTM_NEWQDISC, FLAGS].iter().flat_map(|word| word.to_ne_bytes()));
        message.extend([0; 8]);
        message.extend(body);
        self.socket.send(&message, 0).map_err(failed)?;
        let (answer, _) = self.socket.recv_from_full().map_err(failed)?;
        let error = answer.get(ERROR_AT..ERROR_AT + 4).ok_or("netlink: a short answer")?;
        Ok(-i32::from_ne_bytes(error.try_into().map_err(|_| "netlink: a short answer")?))
    }
}

/// Sends each case to the device's lbe `1:`, prints its error, and then how many of so many random ones were taken.
pub fn run(device: &str, random: &str) -> Result<(), String> {
    let random: u32 = random.parse().map_err(|_| format!("{random}: not a number"))?;
    let route = Route::open(device)?;
    for (name, options) in cases() {
        println!("{name}: {}", route.change(options, TCA_OPTIONS | NESTED)?);
    }
    println!("not said to be a nest: {}", route.change(number(LIMIT, 7), TCA_OPTIONS)?);
    let mut bytes = Pcg64Mcg::seed_from_u64(1);
    let mut taken = 0;
    for _ in 0..random {
        let mut options = vec![0; 1 + (bytes.next_u32() % 64) as usize];
        bytes.fill_bytes(&mut options);
        taken += u32::from(route.change(options, TCA_OPTIONS | NESTED)? == 0);
    }
    println!("taken: {taken}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_padded_and_say_their_length_without() {
        assert_eq!(attribute(2, &[7]), [5, 0, 2, 0, 7, 0, 0, 0]);
    }
}
