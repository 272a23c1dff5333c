//! Frames that come to a board (node/rtos/SPEC.md NRT-20, NRT-21), as steps of a script (`script.rs`): whatever they say, the stack sends none that
//! is too long, has the sockets that it was made with, and answers who asks rightly afterwards.

use std::sync::{Arc, Mutex};

use smoltcp::phy::{ChecksumCapabilities, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;
use tokkyu_contract::MonoTime;
use tokkyu_node_rtos::{Address, Memory, Stack};

use crate::script::raw_steps;

const FRAME_BYTES: usize = 1514;
/// Of the slave API of a board's first node.
const PORT: u16 = 11_411;
const HARDWARE: [u8; 6] = [2, 0, 0, 0, 0, 1];
const MEMORY: Memory = Memory { sockets: 4, receive_bytes: 512, send_bytes: 512 };

/// The frame that is there, and those that were sent.
#[derive(Default)]
struct Wire {
    waiting: Mutex<Option<Vec<u8>>>,
    sent: Mutex<Vec<Vec<u8>>>,
}

/// Its end at the board.
struct End(Arc<Wire>);

struct Received(Vec<u8>);

struct Sending(Arc<Wire>);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Sending {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, fill: F) -> R {
        assert!(bytes <= FRAME_BYTES, "a frame of {bytes} bytes is sent");
        let mut frame = vec![0; bytes];
        let answer = fill(&mut frame);
        self.0.sent.lock().unwrap().push(frame);
        answer
    }
}

impl Device for End {
    type RxToken<'d> = Received;
    type TxToken<'d> = Sending;

    fn receive(&mut self, _: Instant) -> Option<(Received, Sending)> {
        Some((Received(self.0.waiting.lock().unwrap().take()?), Sending(self.0.clone())))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sending> {
        Some(Sending(self.0.clone()))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME_BYTES;
        // Right ones would be all that gets in.
        capabilities.checksum = ChecksumCapabilities::ignored();
        capabilities
    }
}

/// Who has 10.0.2.15? From 10.0.2.2, which is not known yet (RFC 826).
fn question() -> Vec<u8> {
    let (asks, answers) = ([2, 0, 0, 0, 0, 2], [10, 0, 2, 15]);
    let packet = [[0, 1, 8, 0, 6, 4, 0, 1].as_slice(), &asks, &[10, 0, 2, 2], &[0; 6], &answers].concat();
    [[0xff; 6].as_slice(), &asks, &[8, 6], &packet].concat()
}

/// Takes one input.
pub fn run(input: &[u8]) {
    let wire = Arc::new(Wire::default());
    let address: Address = "10.0.2.15/24,10.0.2.2".parse().expect("an address");
    let stack = Stack::new(End(wire.clone()), HARDWARE, address, MEMORY, 1);
    assert!(stack.listen_at(PORT));
    let mut now = MonoTime::from_millis(1);
    for (_, wait, bytes) in raw_steps(input) {
        now += wait;
        *wire.waiting.lock().unwrap() = Some(bytes[..bytes.len().min(FRAME_BYTES)].to_vec());
        stack.turn(now);
        wire.sent.lock().unwrap().clear();
    }
    // Answers to strangers are rationed: a second later it owes one.
    now += std::time::Duration::from_secs(10);
    *wire.waiting.lock().unwrap() = Some(question());
    stack.turn(now);
    let sent = wire.sent.lock().unwrap();
    let answers = |frame: &Vec<u8>| frame.starts_with(&[2, 0, 0, 0, 0, 2]) && frame[12..14] == [8, 6] && frame[21] == 2;
    assert!(sent.iter().any(answers), "NRT-20: nobody answers any more: {sent:?}");
}
