//! Quantities with their units, as people write them in `robot.yaml`: `10 Hz`, `374 kB`, `500 ms`, `50 Mbit/s`.
//!
//! Runs anywhere (`no_std`, no allocation); time is linear in the length of the text. Numbers are decimal and kept as
//! whole base units, never as floating point, so what is printed reads back as the same quantity. A number without a
//! unit is refused, because nobody can see a factor of a thousand in it. Specification: SPEC.md, CON-20 to CON-26.

use core::fmt;
use core::num::NonZeroU64;
use core::str::FromStr;
use core::time::Duration;

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A span of time.
    Duration,
    /// Samples per second.
    Rate,
    /// A number of bytes.
    Size,
    /// Bits per second.
    BitRate,
    /// A speed.
    Speed,
    /// A speed gained or lost in a time.
    Acceleration,
    /// How fast an acceleration comes.
    Jerk,
    /// How often a second, of something that goes from 0 to 1.
    PerSecond,
    /// An angle.
    Angle,
    /// An angle turned in a time.
    TurnRate,
}

/// One unit: its name and how many base units it holds.
struct Unit {
    name: &'static str,
    scale: u64,
}

const fn unit(name: &'static str, scale: u64) -> Unit {
    Unit { name, scale }
}

/// Nanoseconds.
const DURATIONS: [Unit; 4] =
    [unit("ns", 1), unit("us", 1_000), unit("ms", 1_000_000), unit("s", 1_000_000_000)];
const MORE_DURATIONS: [Unit; 1] = [unit("min", 60_000_000_000)];
/// Millihertz.
const RATES: [Unit; 2] = [unit("Hz", 1_000), unit("kHz", 1_000_000)];
/// Bytes.
const SIZES: [Unit; 4] = [unit("B", 1), unit("kB", 1_000), unit("MB", 1_000_000), unit("GB", 1_000_000_000)];
const MORE_SIZES: [Unit; 3] = [unit("KiB", 1 << 10), unit("MiB", 1 << 20), unit("GiB", 1 << 30)];
/// Bits per second.
const BIT_RATES: [Unit; 4] =
    [unit("bit/s", 1), unit("kbit/s", 1_000), unit("Mbit/s", 1_000_000), unit("Gbit/s", 1_000_000_000)];
/// Millimetres an hour, in which both units are whole.
const SPEEDS: [Unit; 1] = [unit("km/h", 1_000_000)];
const MORE_SPEEDS: [Unit; 1] = [unit("m/s", 3_600_000)];
/// Millimetres per second squared and cubed.
const ACCELERATIONS: [Unit; 1] = [unit("m/s2", 1_000)];
const MORE_ACCELERATIONS: [Unit; 1] = [unit("m/s²", 1_000)];
const JERKS: [Unit; 1] = [unit("m/s3", 1_000)];
const MORE_JERKS: [Unit; 1] = [unit("m/s³", 1_000)];
/// Thousandths a second.
const PER_SECOND: [Unit; 1] = [unit("/s", 1_000)];
/// Thousandths of a radian, and those a second.
const ANGLES: [Unit; 1] = [unit("rad", 1_000)];
const TURN_RATES: [Unit; 1] = [unit("rad/s", 1_000)];

impl Quantity {
    /// The units used for printing, smallest first. Powers of ten, so that every value prints exactly (CON-25).
    const fn decimal_units(self) -> &'static [Unit] {
        match self {
            Quantity::Duration => &DURATIONS,
            Quantity::Rate => &RATES,
            Quantity::Size => &SIZES,
            Quantity::BitRate => &BIT_RATES,
            Quantity::Speed => &SPEEDS,
            Quantity::Acceleration => &ACCELERATIONS,
            Quantity::Jerk => &JERKS,
            Quantity::PerSecond => &PER_SECOND,
            Quantity::Angle => &ANGLES,
            Quantity::TurnRate => &TURN_RATES,
        }
    }

    /// The units that are read but not printed.
    const fn other_units(self) -> &'static [Unit] {
        match self {
            Quantity::Duration => &MORE_DURATIONS,
            Quantity::Size => &MORE_SIZES,
            Quantity::Speed => &MORE_SPEEDS,
            Quantity::Acceleration => &MORE_ACCELERATIONS,
            Quantity::Jerk => &MORE_JERKS,
            Quantity::Rate
            | Quantity::BitRate
            | Quantity::PerSecond
            | Quantity::Angle
            | Quantity::TurnRate => &[],
        }
    }

    /// Base units in the unit called `name`, case-sensitively (`Mbit/s` is not `mbit/s`; CON-21).
    fn scale_of(self, name: &str) -> Option<u64> {
        let mut all = self.decimal_units().iter().chain(self.other_units());
        all.find(|unit| unit.name == name).map(|unit| unit.scale)
    }

    /// All units that are read, as a sentence lists them.
    const fn unit_list(self) -> &'static str {
        match self {
            Quantity::Duration => "ns, us, ms, s or min",
            Quantity::Rate => "Hz or kHz",
            Quantity::Size => "B, kB, MB, GB, KiB, MiB or GiB",
            Quantity::BitRate => "bit/s, kbit/s, Mbit/s or Gbit/s",
            Quantity::Speed => "km/h or m/s",
            Quantity::Acceleration => "m/s2",
            Quantity::Jerk => "m/s3",
            Quantity::PerSecond => "/s",
            Quantity::Angle => "rad",
            Quantity::TurnRate => "rad/s",
        }
    }

    /// A well-formed text, for error messages.
    pub const fn example(self) -> &'static str {
        match self {
            Quantity::Duration => "500 ms",
            Quantity::Rate => "10 Hz",
            Quantity::Size => "374 kB",
            Quantity::BitRate => "50 Mbit/s",
            Quantity::Speed => "50 km/h",
            Quantity::Acceleration => "4 m/s2",
            Quantity::Jerk => "10 m/s3",
            Quantity::PerSecond => "4 /s",
            Quantity::Angle => "0.6 rad",
            Quantity::TurnRate => "1.5 rad/s",
        }
    }

    /// The smallest step a value is kept in.
    const fn step(self) -> &'static str {
        match self {
            Quantity::Duration => "1 ns",
            Quantity::Rate => "0.001 Hz",
            Quantity::Size => "1 B",
            Quantity::BitRate => "1 bit/s",
            Quantity::Speed => "0.000001 km/h",
            Quantity::Acceleration => "0.001 m/s2",
            Quantity::Jerk => "0.001 m/s3",
            Quantity::PerSecond => "0.001 /s",
            Quantity::Angle => "0.001 rad",
            Quantity::TurnRate => "0.001 rad/s",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Quantity::Duration => "duration",
            Quantity::Rate => "rate",
            Quantity::Size => "size",
            Quantity::BitRate => "bit rate",
            Quantity::Speed => "speed",
            Quantity::Acceleration => "deceleration",
            Quantity::Jerk => "jerk",
            Quantity::PerSecond => "rate of change",
            Quantity::Angle => "angle",
            Quantity::TurnRate => "turn rate",
        })
    }
}

/// What is wrong with a text that should be a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not begin with a decimal number (`NaN`, `.5`, `1.` and the empty text are none).
    NotANumber,
    /// It begins with a minus sign.
    Negative,
    /// There is a number and nothing else.
    NoUnit,
    /// What follows the number is not a unit of this quantity.
    UnknownUnit,
    /// It has more digits than the value keeps.
    TooFine,
    /// It is larger than the value can hold.
    TooLarge,
    /// A rate of zero.
    Zero,
}

/// A text is not a quantity of the expected kind. The text is the caller's, who knows where it stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// What was expected.
    pub quantity: Quantity,
    /// Why it is not one.
    pub fault: Fault,
}

impl UnitError {
    /// What is wrong.
    pub const fn what(&self) -> &'static str {
        match self.fault {
            Fault::NotANumber => "it does not begin with a number",
            Fault::Negative => "it is negative",
            Fault::NoUnit => "the unit is missing",
            Fault::UnknownUnit => "the unit is unknown",
            Fault::TooFine => "it has too many digits",
            Fault::TooLarge => "it is too large",
            Fault::Zero => "nothing is ever sent at 0 Hz",
        }
    }

    /// What to do about it.
    pub const fn remedy(&self) -> Remedy {
        Remedy(*self)
    }
}

/// What to do about a [`UnitError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy(UnitError);

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnitError { quantity, fault } = self.0;
        let (units, example) = (quantity.unit_list(), quantity.example());
        match fault {
            Fault::NoUnit => write!(f, "add {units}, as in \"{example}\""),
            Fault::UnknownUnit => write!(f, "use {units}, as in \"{example}\""),
            Fault::NotANumber | Fault::Negative => write!(f, "write it like \"{example}\""),
            Fault::TooFine => write!(f, "round it to a multiple of {}", quantity.step()),
            Fault::TooLarge => f.write_str("use a smaller one"),
            Fault::Zero => f.write_str("leave it out if it is not known"),
        }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a {}: {}; {}", self.quantity, self.what(), self.remedy())
    }
}

impl core::error::Error for UnitError {}

/// A non-negative decimal number: `digits` / 10^`places`.
struct Decimal {
    digits: u128,
    places: u32,
}

/// More decimal places than any unit resolves, and few enough that `digits` cannot overflow.
const MAX_PLACES: usize = 18;

impl Decimal {
    /// Reads `12` or `12.5`; a point needs digits on both sides (CON-20).
    fn parse(text: &str) -> Result<Decimal, Fault> {
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !fraction.is_none_or(is_number) {
            return Err(Fault::NotANumber);
        }
        let fraction = fraction.unwrap_or("").trim_end_matches('0');
        if fraction.len() > MAX_PLACES {
            return Err(Fault::TooFine);
        }
        let whole: u64 = whole.parse().map_err(|_| Fault::TooLarge)?;
        let places = fraction.len() as u32;
        let parts = fraction.bytes().fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
        Ok(Decimal { digits: u128::from(whole) * 10u128.pow(places) + parts, places })
    }

    /// The number times `scale`, which must come out whole and in range (CON-23, CON-24).
    fn times(&self, scale: u64) -> Result<u128, Fault> {
        let product = self.digits.checked_mul(u128::from(scale)).ok_or(Fault::TooLarge)?;
        let divisor = 10u128.pow(self.places);
        if product.is_multiple_of(divisor) { Ok(product / divisor) } else { Err(Fault::TooFine) }
    }
}

/// Reads `text` as a quantity, in its base unit (ns, mHz, B or bit/s).
fn read(text: &str, quantity: Quantity) -> Result<u128, UnitError> {
    let fail = |fault| UnitError { quantity, fault };
    let text = text.trim();
    if text.starts_with('-') {
        return Err(fail(Fault::Negative));
    }
    let number_len = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit_name) = text.split_at(number_len);
    let number = Decimal::parse(number).map_err(fail)?;
    let unit_name = unit_name.trim_start();
    // CON-22
    if unit_name.is_empty() {
        return Err(fail(Fault::NoUnit));
    }
    let scale = quantity.scale_of(unit_name).ok_or(fail(Fault::UnknownUnit))?;
    number.times(scale).map_err(fail)
}

/// [`read`] for a quantity kept in 64 bits.
fn read_u64(text: &str, quantity: Quantity) -> Result<u64, UnitError> {
    u64::try_from(read(text, quantity)?).map_err(|_| UnitError { quantity, fault: Fault::TooLarge })
}

/// Prints `value` base units in the largest decimal unit that is not larger than the value.
fn write_in_units(f: &mut fmt::Formatter<'_>, value: u128, quantity: Quantity) -> fmt::Result {
    let units = quantity.decimal_units();
    let fits = |unit: &&Unit| u128::from(unit.scale) <= value;
    let unit = units.iter().rev().find(fits).unwrap_or(&units[0]);
    let scale = u128::from(unit.scale);
    write!(f, "{}", value / scale)?;
    let mut rest = value % scale;
    if rest > 0 {
        f.write_str(".")?;
    }
    while rest > 0 {
        rest *= 10;
        write!(f, "{}", rest / scale)?;
        rest %= scale;
    }
    write!(f, " {}", unit.name)
}

/// Reads a duration: `500 ms`, `1.5 s`, `250 us`, `20 ns`, `2 min`.
///
/// # Errors
///
/// The text has no unit, an unknown unit, is negative, finer than 1 ns, or longer than [`Duration`] holds.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let nanos = read(text, Quantity::Duration)?;
    let too_large = UnitError { quantity: Quantity::Duration, fault: Fault::TooLarge };
    let seconds = u64::try_from(nanos / 1_000_000_000).map_err(|_| too_large)?;
    Ok(Duration::new(seconds, (nanos % 1_000_000_000) as u32))
}

/// Prints a duration in a form that [`parse_duration`] reads back as the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationText(pub Duration);

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_in_units(f, self.0.as_nanos(), Quantity::Duration)
    }
}

/// Samples per second, kept in millihertz: 0.001 Hz and more, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(NonZeroU64);

impl Rate {
    /// The rate of `millihertz` samples in a thousand seconds, `None` for zero.
    pub const fn from_millihertz(millihertz: u64) -> Option<Rate> {
        match NonZeroU64::new(millihertz) {
            Some(millihertz) => Some(Rate(millihertz)),
            None => None,
        }
    }

    /// The rate in millihertz.
    pub const fn millihertz(self) -> u64 {
        self.0.get()
    }

    /// Time from one sample to the next, rounded to the nearest nanosecond (CON-26).
    pub const fn period(self) -> Duration {
        const NANOS_OF_A_MILLIHERTZ: u64 = 1_000_000_000_000;
        let millihertz = self.0.get();
        let whole = NANOS_OF_A_MILLIHERTZ / millihertz;
        let rest = NANOS_OF_A_MILLIHERTZ % millihertz;
        let round_up = rest >= millihertz.div_ceil(2);
        Duration::from_nanos(whole + round_up as u64)
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Rate, UnitError> {
        let zero = UnitError { quantity: Quantity::Rate, fault: Fault::Zero };
        Rate::from_millihertz(read_u64(text, Quantity::Rate)?).ok_or(zero)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_in_units(f, u128::from(self.0.get()), Quantity::Rate)
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The bit rate of this many bytes sent `rate` times a second, rounded up. Saturates.
    pub const fn at(self, rate: Rate) -> BitRate {
        let millibits = self.0 as u128 * 8 * rate.millihertz() as u128;
        let bits = millibits.div_ceil(1_000);
        BitRate(if bits > u64::MAX as u128 { u64::MAX } else { bits as u64 })
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Bytes, UnitError> {
        read_u64(text, Quantity::Size).map(Bytes)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_in_units(f, u128::from(self.0), Quantity::Size)
    }
}

/// Bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(pub u64);

impl BitRate {
    /// Both rates together. Saturates.
    pub const fn saturating_add(self, other: BitRate) -> BitRate {
        BitRate(self.0.saturating_add(other.0))
    }
}

impl FromStr for BitRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<BitRate, UnitError> {
        read_u64(text, Quantity::BitRate).map(BitRate)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_in_units(f, u128::from(self.0), Quantity::BitRate)
    }
}

/// A quantity kept in 64 bits that can do nothing but be read, compared and printed.
macro_rules! plain {
    ($(#[$doc:meta])* $name:ident of $quantity:ident, $(#[$method_doc:meta])* $method:ident: $scale:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl $name {
            $(#[$method_doc])*
            pub fn $method(self) -> f32 {
                (self.0 as f64 / $scale) as f32
            }
        }

        impl FromStr for $name {
            type Err = UnitError;

            fn from_str(text: &str) -> Result<$name, UnitError> {
                read_u64(text, Quantity::$quantity).map($name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_in_units(f, u128::from(self.0), Quantity::$quantity)
            }
        }
    };
}

plain! {
    /// A speed, in millimetres an hour.
    Speed of Speed,
    /// In metres per second.
    mps: 3_600_000.0
}
plain! {
    /// A deceleration, in millimetres per second squared.
    Acceleration of Acceleration,
    /// In metres per second squared.
    mps2: 1_000.0
}
plain! {
    /// A jerk, in millimetres per second cubed.
    Jerk of Jerk,
    /// In metres per second cubed.
    mps3: 1_000.0
}
plain! {
    /// How often a second, in thousandths.
    PerSecond of PerSecond,
    /// As it is.
    per_s: 1_000.0
}
plain! {
    /// An angle, in thousandths of a radian.
    Angle of Angle,
    /// In radians.
    rad: 1_000.0
}
plain! {
    /// How fast something turns, in thousandths of a radian a second.
    TurnRate of TurnRate,
    /// In radians per second.
    radps: 1_000.0
}
