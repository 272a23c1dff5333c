//! The bytes of one drive command. SPEC.md DRV-1 to DRV-6.
//!
//! Pure, constant time, no allocation; runs on both sides. Invariant: [`Controls`] that exist are in range, so
//! nothing behind the decoder checks again, and a motor never sees a number that is not one.
//!
//! ```text
//!  offset  size  field
//!       0     4  magic "TKC5" (the 5 is the version)
//!       4     1  buttons: bit 0 e-stop, bit 1 reset, bit 2 dead-man held, bit 3 enable pressed,
//!                   bit 4 the seat is asked for, bit 5 it is taken by force, others 0
//!       5     1  gear, signed: -1 reverse, 0 neutral, 1 and more forward
//!       6     2  from the reading of the buttons to the time of issue, milliseconds; ffff: so long or longer
//!       8     8  sequence number, counted by the operator's program from 0
//!      16     8  time of issue, nanoseconds on the operator's monotonic clock
//!      24     4  throttle, IEEE 754 single, 0 to 1
//!      28     4  brake, 0 to 1
//!      32     4  steering, −1 (full right) to 1 (full left)
//!      36     2  lamps and horn, one bit each (see [`Equipment`]), others 0
//!      38     1  mode, of the robot's own meaning
//!      39     1  the end to which the seat is granted, 1 to 8; 0 for none
//!      40     2  how old what the driver sees was at the time of issue, milliseconds; ffff: not known
//!      42     2  most that this may be wrong by, likewise
//!      44    20  reserved, 0
//! ```
//! All numbers are little-endian.

use tokkyu_contract::{MonoTime, PeerTime};

use super::age::Age;
use super::controls::{Axes, Buttons, Controls, Equipment, Fittings};
use super::error::{COMMAND_BYTES, CommandError};
use super::seat_wish::SeatWish;

const MAGIC: [u8; 4] = *b"TKC5";
const E_STOP: u8 = 1;
const RESET: u8 = 2;
const DEAD_MAN: u8 = 4;
const ENABLE: u8 = 8;
const ASK: u8 = 16;
const FORCE: u8 = 32;
/// The bytes that mean nothing yet.
const RESERVED: std::ops::Range<usize> = 44..COMMAND_BYTES;

/// One command. `Clock` is the kind of time it carries: [`MonoTime`] at the operator, who issues it, [`PeerTime`] at
/// the vehicle, whose own clock says something else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command<Clock> {
    /// What the driver wants.
    pub controls: Controls,
    /// Counted by the operator's program from 0, over all its sessions.
    pub sequence: u64,
    /// When the driver wanted it.
    pub issued: Clock,
    /// How old what the driver saw was then; `None`: not known. Whole milliseconds travel.
    pub pictures: Option<Age>,
    /// What its sender wants with the seat.
    pub seat: SeatWish,
}

impl Buttons {
    fn bits(self) -> u8 {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        bit(self.e_stop, E_STOP)
            | bit(self.reset, RESET)
            | bit(self.dead_man, DEAD_MAN)
            | bit(self.enable, ENABLE)
    }

    fn from_bits(bits: u8) -> Buttons {
        Buttons {
            e_stop: bits & E_STOP != 0,
            reset: bits & RESET != 0,
            dead_man: bits & DEAD_MAN != 0,
            enable: bits & ENABLE != 0,
        }
    }
}

impl Command<MonoTime> {
    /// The command's bytes.
    pub fn encode(&self) -> [u8; COMMAND_BYTES] {
        let Controls { axes, buttons, read_age_ms, fittings } = self.controls;
        let mut bytes = [0; COMMAND_BYTES];
        bytes[0..4].copy_from_slice(&MAGIC);
        bytes[4] = buttons.bits() | seat_bits(self.seat);
        bytes[5] = fittings.gear.to_le_bytes()[0];
        bytes[6..8].copy_from_slice(&read_age_ms.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.issued.as_nanos().to_le_bytes());
        bytes[24..28].copy_from_slice(&axes.throttle.to_le_bytes());
        bytes[28..32].copy_from_slice(&axes.brake.to_le_bytes());
        bytes[32..36].copy_from_slice(&axes.steering.to_le_bytes());
        bytes[36..38].copy_from_slice(&fittings.equipment.bits().to_le_bytes());
        bytes[38] = fittings.mode;
        bytes[39] = self.seat.grant_byte();
        let [age, error] = Age::wire(self.pictures);
        bytes[40..42].copy_from_slice(&age.to_le_bytes());
        bytes[42..44].copy_from_slice(&error.to_le_bytes());
        bytes
    }
}

impl Command<PeerTime> {
    /// The command in `bytes`.
    ///
    /// # Errors
    /// Any bytes that are not exactly of the layout above; see [`CommandError`]. A command in error moves nothing.
    pub fn decode(bytes: &[u8]) -> Result<Command<PeerTime>, CommandError> {
        let bytes: &[u8; COMMAND_BYTES] =
            bytes.try_into().map_err(|_| CommandError::Length { bytes: bytes.len() })?;
        let found = array(bytes, 0);
        if found != MAGIC {
            return Err(CommandError::Magic { found });
        }
        check_reserved(bytes)?;
        let controls = Controls {
            axes: axes(bytes)?,
            buttons: Buttons::from_bits(bytes[4]),
            read_age_ms: u16::from_le_bytes(array(bytes, 6)),
            fittings: fittings(bytes)?,
        };
        if controls.reset() && !controls.is_plain_reset() {
            return Err(CommandError::ResetNotNeutral);
        }
        // An emergency stop is never refused for what it says beside it.
        if controls.throttle() > 0.0 && !controls.dead_man() && !controls.e_stop() {
            return Err(CommandError::ThrottleNotEnabled { throttle: controls.throttle() });
        }
        let issued = PeerTime::from_nanos(u64::from_le_bytes(array(bytes, 16)));
        let (pictures, seat) = (pictures(bytes)?, seat(bytes)?);
        Ok(Command { controls, sequence: u64::from_le_bytes(array(bytes, 8)), issued, pictures, seat })
    }
}

fn seat_bits(seat: SeatWish) -> u8 {
    (u8::from(seat.ask) * ASK) | (u8::from(seat.force) * FORCE)
}

fn seat(bytes: &[u8; COMMAND_BYTES]) -> Result<SeatWish, CommandError> {
    let unknown = CommandError::Reserved { offset: 39, value: bytes[39] };
    let grant = SeatWish::grant_of(bytes[39]).ok_or(unknown)?;
    Ok(SeatWish { ask: bytes[4] & ASK != 0, force: bytes[4] & FORCE != 0, grant })
}

fn pictures(bytes: &[u8; COMMAND_BYTES]) -> Result<Option<Age>, CommandError> {
    let word = |offset| u16::from_le_bytes(array(bytes, offset));
    Age::from_wire([word(40), word(42)]).ok_or(CommandError::HalfAge)
}

fn axes(bytes: &[u8; COMMAND_BYTES]) -> Result<Axes, CommandError> {
    let float = |offset| f32::from_le_bytes(array(bytes, offset));
    Controls::new(float(24), float(28), float(32)).map(|controls| controls.axes)
}

fn fittings(bytes: &[u8; COMMAND_BYTES]) -> Result<Fittings, CommandError> {
    let unknown = CommandError::Reserved { offset: 37, value: bytes[37] };
    Ok(Fittings {
        gear: i8::from_le_bytes([bytes[5]]),
        equipment: Equipment::from_bits(u16::from_le_bytes(array(bytes, 36))).ok_or(unknown)?,
        mode: bytes[38],
    })
}

/// `N` bytes at `offset`, which all callers keep inside.
fn array<const N: usize>(bytes: &[u8; COMMAND_BYTES], offset: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[offset + index])
}

fn check_reserved(bytes: &[u8; COMMAND_BYTES]) -> Result<(), CommandError> {
    let unknown = |offset| CommandError::Reserved { offset, value: bytes[offset] };
    if bytes[4] & !(E_STOP | RESET | DEAD_MAN | ENABLE | ASK | FORCE) != 0 {
        return Err(unknown(4));
    }
    match RESERVED.into_iter().find(|&offset| bytes[offset] != 0) {
        Some(offset) => Err(unknown(offset)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    fn age(estimate_ms: u64, error_ms: u64) -> Option<Age> {
        let [estimate, error] = [estimate_ms, error_ms].map(Duration::from_millis);
        Some(Age { estimate, error })
    }

    fn issued(controls: Controls) -> Command<MonoTime> {
        Command {
            controls,
            sequence: 0x0102,
            issued: MonoTime::from_nanos(0x0a0b),
            pictures: age(0x0304, 5),
            seat: SeatWish::default(),
        }
    }

    fn driving() -> [u8; COMMAND_BYTES] {
        issued(Controls::new(0.5, 0.0, -1.0).unwrap()).encode()
    }

    #[test]
    fn a_command_has_the_layout_the_specification_draws() {
        let mut expected = [0; COMMAND_BYTES];
        expected[..6].copy_from_slice(b"TKC5\x04\x01");
        expected[8..10].copy_from_slice(&[2, 1]);
        expected[16..18].copy_from_slice(&[0x0b, 0x0a]);
        expected[24..28].copy_from_slice(&[0, 0, 0, 0x3f]);
        expected[32..36].copy_from_slice(&[0, 0, 0x80, 0xbf]);
        expected[40..44].copy_from_slice(&[4, 3, 5, 0]);
        assert_eq!(driving(), expected);
        assert_eq!(issued(Controls::emergency()).encode()[4], 1);
        assert_eq!(issued(Controls::release()).encode()[4], 2);
    }

    fn broken(change: impl FnOnce(&mut [u8; COMMAND_BYTES])) -> CommandError {
        let mut bytes = driving();
        change(&mut bytes);
        Command::decode(&bytes).unwrap_err()
    }

    fn set(bytes: &mut [u8; COMMAND_BYTES], offset: usize, value: f32) {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }

    #[test]
    fn each_fault_of_a_command_is_named() {
        assert_eq!(Command::decode(&driving()[..63]), Err(CommandError::Length { bytes: 63 }));
        assert_eq!(broken(|b| b[3] = b'1'), CommandError::Magic { found: *b"TKC1" });
        assert_eq!(broken(|b| b[4] = 64), CommandError::Reserved { offset: 4, value: 64 });
        for offset in [37, 39].into_iter().chain(44..64) {
            assert_eq!(broken(|b| b[offset] = 9), CommandError::Reserved { offset, value: 9 });
        }
        let half_known = |b: &mut [u8; COMMAND_BYTES]| b[42..44].copy_from_slice(&[0xff; 2]);
        assert_eq!(broken(half_known), CommandError::HalfAge);
        assert_eq!(broken(|b| b[4] = RESET), CommandError::ResetNotNeutral);
        assert_eq!(broken(|b| b[4] = 0), CommandError::ThrottleNotEnabled { throttle: 0.5 });
        let mut enabled_reset = issued(Controls::release()).encode();
        enabled_reset[4] |= DEAD_MAN;
        assert_eq!(Command::decode(&enabled_reset), Err(CommandError::ResetNotNeutral));
    }

    #[test]
    fn an_emergency_stop_is_read_whatever_it_says_beside_it() {
        for flags in [E_STOP, E_STOP | DEAD_MAN] {
            let mut bytes = driving();
            bytes[4] = flags;
            assert!(Command::decode(&bytes).unwrap().controls.e_stop());
        }
    }

    #[test]
    fn a_number_out_of_range_or_not_a_number_never_becomes_a_command() {
        for (field, offset, lowest) in [("throttle", 24, 0.0), ("brake", 28, 0.0), ("steering", 32, -1.0)] {
            for value in [1.000_001, -1.000_001, f32::INFINITY, f32::NEG_INFINITY] {
                let error = broken(|b| set(b, offset, value));
                assert_eq!(error, CommandError::Range { field, value, lowest });
            }
            let error = broken(|b| set(b, offset, f32::NAN));
            assert!(error.to_string().starts_with(&format!("{field} is NaN")), "{error}");
        }
    }

    fn any_fittings() -> impl Strategy<Value = Fittings> {
        (any::<i8>(), 0u16..256, any::<u8>()).prop_map(|(gear, bits, mode)| Fittings {
            gear,
            equipment: Equipment::from_bits(bits).unwrap(),
            mode,
        })
    }

    fn any_controls() -> impl Strategy<Value = Controls> {
        let drive = (0.0f32..=1.0, 0.0f32..=1.0, -1.0f32..=1.0);
        let driving = drive.prop_map(|(t, b, s)| Controls::new(t, b, s).unwrap());
        let released = (0.0f32..=1.0, -1.0f32..=1.0).prop_map(|(b, s)| Controls::released(b, s));
        let pressed = (prop_oneof![driving, released], any::<(bool, bool)>());
        let pressed = pressed.prop_map(|(mut controls, (e_stop, enable))| {
            controls.buttons.e_stop = e_stop;
            controls.with_enable(enable)
        });
        let any = (prop_oneof![pressed, Just(Controls::release())], any_fittings(), any::<u16>());
        any.prop_map(|(controls, fittings, ms)| {
            controls.with_fittings(fittings).with_read_age(Duration::from_millis(ms.into()))
        })
    }

    proptest! {
        #[test]
        fn every_command_survives_its_bytes(
            controls in any_controls(), sequence: u64, nanos: u64, seen in proptest::option::of((0u64..65_535, 0u64..65_535)),
            ask: bool, force: bool, grant in proptest::option::of(0usize..8),
        ) {
            let seat = SeatWish { ask, force, grant };
            let pictures = seen.and_then(|(estimate, error)| age(estimate, error));
            let sent = Command { controls, sequence, issued: MonoTime::from_nanos(nanos), pictures, seat };
            let received = Command { controls, sequence, issued: PeerTime::from_nanos(nanos), pictures, seat };
            prop_assert_eq!(Command::decode(&sent.encode()), Ok(received));
        }

        #[test]
        fn any_bytes_decode_to_an_error_or_to_themselves(
            mut bytes in proptest::collection::vec(any::<u8>(), COMMAND_BYTES), zeros: bool, length in 0usize..70,
        ) {
            if zeros {
                // Most random bytes fail at the magic; this lets them reach the fields.
                bytes[..5].copy_from_slice(b"TKC5\x04");
                bytes[39] %= 10;
                bytes[37] = 0;
                bytes[RESERVED].fill(0);
            }
            bytes.truncate(length);
            if let Ok(Command { controls, sequence, issued, pictures, seat }) = Command::decode(&bytes) {
                let again = Command { controls, sequence, issued: MonoTime::from_nanos(issued.as_nanos()), pictures, seat };
                prop_assert_eq!(&again.encode()[..], &bytes[..]);
            }
        }
    }
}
