//! The bytes of one drive command. SPEC.md DRV-1 to DRV-6.
//!
//! Pure, constant time, no allocation; runs on both sides. Invariant: [`Controls`] that exist are in range, so
//! nothing behind the decoder checks again, and a motor never sees a number that is not one.
//!
//! ```text
//!  offset  size  field
//!       0     4  magic "TKC2" (the 2 is the version)
//!       4     1  flags: bit 0 e-stop, bit 1 reset, bit 2 enabled (the dead-man is held), others 0
//!       5     3  reserved, 0
//!       8     8  sequence number, counted by the operator's program from 0
//!      16     8  time of issue, nanoseconds on the operator's monotonic clock
//!      24     4  throttle, IEEE 754 single, 0 to 1
//!      28     4  brake, 0 to 1
//!      32     4  steering, −1 (full right) to 1 (full left)
//!      36    28  reserved, 0
//! ```
//! All numbers are little-endian.

use tokkyu_contract::{MonoTime, PeerTime};

/// Length of every command.
pub const COMMAND_BYTES: usize = 64;

const MAGIC: [u8; 4] = *b"TKC2";
const E_STOP: u8 = 1;
const RESET: u8 = 2;
const ENABLED: u8 = 4;
const USED_BYTES: usize = 36;

/// What the driver wants, each value in its range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Controls {
    throttle: f32,
    brake: f32,
    steering: f32,
    enabled: bool,
    e_stop: bool,
    reset: bool,
}

impl Controls {
    /// Nothing pressed, also not the dead-man: the gate brakes (DRV-86).
    pub const NEUTRAL: Controls =
        Controls { throttle: 0.0, brake: 0.0, steering: 0.0, enabled: false, e_stop: false, reset: false };

    /// Controls under a held dead-man, with `throttle` and `brake` 0 to 1 and `steering` −1 (full right) to 1 (full
    /// left; ROS REP 103: counter-clockwise is positive).
    ///
    /// # Errors
    /// [`CommandError::Range`] for a value outside its range or not a number.
    pub fn new(throttle: f32, brake: f32, steering: f32) -> Result<Controls, CommandError> {
        let throttle = in_range("throttle", throttle, 0.0)?;
        let brake = in_range("brake", brake, 0.0)?;
        let steering = in_range("steering", steering, -1.0)?;
        Ok(Controls { throttle, brake, steering, enabled: true, ..Controls::NEUTRAL })
    }

    /// The same from values that may lie a little outside, such as an axis that was calibrated badly: cut to the
    /// range, and 0 for what is not a number.
    pub fn clamped(throttle: f32, brake: f32, steering: f32) -> Controls {
        let cut = |value: f32, lowest: f32| if value.is_nan() { 0.0 } else { value.clamp(lowest, 1.0) };
        Controls {
            throttle: cut(throttle, 0.0),
            brake: cut(brake, 0.0),
            steering: cut(steering, -1.0),
            enabled: true,
            ..Controls::NEUTRAL
        }
    }

    /// The same without the dead-man: no throttle, whatever was asked. The brake is what the driver gives; the gate
    /// gives no less (DRV-86).
    pub fn not_enabled(brake: f32, steering: f32) -> Controls {
        Controls { enabled: false, ..Controls::clamped(0.0, brake, steering) }
    }

    /// The emergency stop: full brake, and it latches at the vehicle (DRV-13).
    pub const fn emergency() -> Controls {
        Controls { brake: 1.0, e_stop: true, ..Controls::NEUTRAL }
    }

    /// The command that releases a latched emergency stop: neutral, and marked as meant so (DRV-14).
    pub const fn release() -> Controls {
        Controls { reset: true, ..Controls::NEUTRAL }
    }

    /// 0 (none) to 1 (full).
    pub const fn throttle(&self) -> f32 {
        self.throttle
    }

    /// 0 (none) to 1 (full).
    pub const fn brake(&self) -> f32 {
        self.brake
    }

    /// −1 (full right) to 1 (full left).
    pub const fn steering(&self) -> f32 {
        self.steering
    }

    /// True while the dead-man is held; without it there is no throttle.
    pub const fn enabled(&self) -> bool {
        self.enabled
    }

    /// True for an emergency stop.
    pub const fn e_stop(&self) -> bool {
        self.e_stop
    }

    /// True for the release of an emergency stop; such controls are neutral in everything else.
    pub const fn reset(&self) -> bool {
        self.reset
    }
}

fn in_range(field: &'static str, value: f32, lowest: f32) -> Result<f32, CommandError> {
    // A comparison with NaN is false, so this refuses it too.
    if (lowest..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(CommandError::Range { field, value, lowest })
    }
}

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
}

/// Why bytes are not a command.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// Not 64 bytes.
    #[error("a drive command has {COMMAND_BYTES} bytes, this one has {bytes}")]
    Length {
        /// Its length.
        bytes: usize,
    },
    /// Not a command, or of another version.
    #[error(
        "the command starts with {found:02x?}, not with \"TKC2\": operator and vehicle must run the same version"
    )]
    Magic {
        /// What stands there instead.
        found: [u8; 4],
    },
    /// A flag or a reserved byte that this version does not know.
    #[error("byte {offset} of the command is {value:#04x}, unknown here: the operator's program is newer")]
    Reserved {
        /// Its place.
        offset: usize,
        /// Its value.
        value: u8,
    },
    /// A value outside its range, or not a number.
    #[error("{field} is {value}, allowed is {lowest} to 1")]
    Range {
        /// Which value.
        field: &'static str,
        /// What it is.
        value: f32,
        /// Lowest allowed value.
        lowest: f32,
    },
    /// A reset that also asks for something else.
    #[error("a reset must be neutral: throttle, brake and steering 0, dead-man not held, no e-stop")]
    ResetNotNeutral,
    /// Throttle from somebody who does not hold the dead-man.
    #[error("throttle is {throttle} and the dead-man is not held")]
    ThrottleNotEnabled {
        /// How much.
        throttle: f32,
    },
}

impl Command<MonoTime> {
    /// The command's bytes.
    pub fn encode(&self) -> [u8; COMMAND_BYTES] {
        let controls = &self.controls;
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags =
            flag(controls.e_stop, E_STOP) | flag(controls.reset, RESET) | flag(controls.enabled, ENABLED);
        let mut bytes = [0; COMMAND_BYTES];
        bytes[0..4].copy_from_slice(&MAGIC);
        bytes[4] = flags;
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.issued.as_nanos().to_le_bytes());
        bytes[24..28].copy_from_slice(&controls.throttle.to_le_bytes());
        bytes[28..32].copy_from_slice(&controls.brake.to_le_bytes());
        bytes[32..36].copy_from_slice(&controls.steering.to_le_bytes());
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
        let float = |offset| f32::from_le_bytes(array(bytes, offset));
        let mut controls = Controls::new(float(24), float(28), float(32))?;
        controls.e_stop = bytes[4] & E_STOP != 0;
        controls.reset = bytes[4] & RESET != 0;
        controls.enabled = bytes[4] & ENABLED != 0;
        if controls.reset && controls != Controls::release() {
            return Err(CommandError::ResetNotNeutral);
        }
        // An emergency stop is never refused for what it says beside it.
        if controls.throttle > 0.0 && !controls.enabled && !controls.e_stop {
            return Err(CommandError::ThrottleNotEnabled { throttle: controls.throttle });
        }
        let issued = PeerTime::from_nanos(u64::from_le_bytes(array(bytes, 16)));
        Ok(Command { controls, sequence: u64::from_le_bytes(array(bytes, 8)), issued })
    }
}

/// `N` bytes at `offset`, which all callers keep inside.
fn array<const N: usize>(bytes: &[u8; COMMAND_BYTES], offset: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[offset + index])
}

fn check_reserved(bytes: &[u8; COMMAND_BYTES]) -> Result<(), CommandError> {
    let unknown = |offset| CommandError::Reserved { offset, value: bytes[offset] };
    if bytes[4] & !(E_STOP | RESET | ENABLED) != 0 {
        return Err(unknown(4));
    }
    match (5..8).chain(USED_BYTES..COMMAND_BYTES).find(|&offset| bytes[offset] != 0) {
        Some(offset) => Err(unknown(offset)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn issued(controls: Controls) -> Command<MonoTime> {
        Command { controls, sequence: 0x0102, issued: MonoTime::from_nanos(0x0a0b) }
    }

    fn driving() -> [u8; COMMAND_BYTES] {
        issued(Controls::new(0.5, 0.0, -1.0).unwrap()).encode()
    }

    #[test]
    fn a_command_has_the_layout_the_specification_draws() {
        let mut expected = [0; COMMAND_BYTES];
        expected[..5].copy_from_slice(b"TKC2\x04");
        expected[8..10].copy_from_slice(&[2, 1]);
        expected[16..18].copy_from_slice(&[0x0b, 0x0a]);
        expected[24..28].copy_from_slice(&[0, 0, 0, 0x3f]);
        expected[32..36].copy_from_slice(&[0, 0, 0x80, 0xbf]);
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
        assert_eq!(broken(|b| b[4] = 8), CommandError::Reserved { offset: 4, value: 8 });
        for offset in (5..8).chain(36..64) {
            assert_eq!(broken(|b| b[offset] = 9), CommandError::Reserved { offset, value: 9 });
        }
        assert_eq!(broken(|b| b[4] = RESET), CommandError::ResetNotNeutral);
        assert_eq!(broken(|b| b[4] = 0), CommandError::ThrottleNotEnabled { throttle: 0.5 });
        let mut enabled_reset = issued(Controls::release()).encode();
        enabled_reset[4] |= ENABLED;
        assert_eq!(Command::decode(&enabled_reset), Err(CommandError::ResetNotNeutral));
    }

    #[test]
    fn an_emergency_stop_is_read_whatever_it_says_beside_it() {
        for flags in [E_STOP, E_STOP | ENABLED] {
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

    #[test]
    fn clamping_gives_controls_in_range_from_anything() {
        let controls = Controls::clamped(f32::NAN, 7.0, f32::NEG_INFINITY);
        assert_eq!(controls, Controls::new(0.0, 1.0, -1.0).unwrap());
    }

    fn any_controls() -> impl Strategy<Value = Controls> {
        let drive = (0.0f32..=1.0, 0.0f32..=1.0, -1.0f32..=1.0, any::<bool>());
        let driving =
            drive.prop_map(|(t, b, s, e_stop)| Controls { e_stop, ..Controls::new(t, b, s).unwrap() });
        let released = (0.0f32..=1.0, -1.0f32..=1.0).prop_map(|(b, s)| Controls::not_enabled(b, s));
        prop_oneof![driving, released, Just(Controls::release())]
    }

    proptest! {
        #[test]
        fn every_command_survives_its_bytes(controls in any_controls(), sequence: u64, nanos: u64) {
            let sent = Command { controls, sequence, issued: MonoTime::from_nanos(nanos) };
            let received = Command { controls, sequence, issued: PeerTime::from_nanos(nanos) };
            prop_assert_eq!(Command::decode(&sent.encode()), Ok(received));
        }

        #[test]
        fn any_bytes_decode_to_an_error_or_to_themselves(
            mut bytes in proptest::collection::vec(any::<u8>(), COMMAND_BYTES), zeros: bool, length in 0usize..70,
        ) {
            if zeros {
                // Most random bytes fail at the magic; this lets them reach the fields.
                bytes[..8].copy_from_slice(b"TKC2\x04\0\0\0");
                bytes[USED_BYTES..].fill(0);
            }
            bytes.truncate(length);
            if let Ok(Command { controls, sequence, issued }) = Command::decode(&bytes) {
                let again = Command { controls, sequence, issued: MonoTime::from_nanos(issued.as_nanos()) };
                prop_assert_eq!(&again.encode()[..], &bytes[..]);
            }
        }
    }
}
