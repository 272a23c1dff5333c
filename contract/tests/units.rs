//! Quantities with units: what is read, what is refused and with which words (SPEC.md, CON-20 to CON-26).

use core::time::Duration;

use proptest::prelude::*;
use tokkyu_contract::units::{BitRate, Bytes, DurationText, Fault, Rate, UnitError, parse_duration};

fn fault<T: core::fmt::Debug>(read: Result<T, UnitError>) -> Fault {
    read.expect_err("must be refused").fault
}

#[test]
fn durations_are_read_to_the_nanosecond() {
    let cases = [
        ("500 ms", Duration::from_millis(500)),
        ("1.5 s", Duration::from_millis(1_500)),
        ("250 us", Duration::from_micros(250)),
        ("20 ns", Duration::from_nanos(20)),
        ("2 min", Duration::from_secs(120)),
        ("  7ms ", Duration::from_millis(7)),
        ("0 s", Duration::ZERO),
        ("0.000000001 s", Duration::from_nanos(1)),
        ("1.50000000000000000000000 ms", Duration::from_micros(1_500)),
        ("18446744073709551615 s", Duration::from_secs(u64::MAX)),
    ];
    for (text, span) in cases {
        assert_eq!(parse_duration(text), Ok(span), "{text}");
    }
}

#[test]
fn rates_sizes_and_bit_rates_are_read_exactly() {
    let millihertz = |text: &str| text.parse::<Rate>().map(Rate::millihertz);
    assert_eq!(millihertz("10 Hz"), Ok(10_000));
    assert_eq!(millihertz("0.5 Hz"), Ok(500));
    assert_eq!(millihertz("29.97 Hz"), Ok(29_970));
    assert_eq!(millihertz("1.2 kHz"), Ok(1_200_000));
    let sizes =
        [("374 kB", 374_000), ("1.5 MB", 1_500_000), ("64 KiB", 65_536), ("128 B", 128), ("0.5 KiB", 512)];
    for (text, bytes) in sizes {
        assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
    }
    let bit_rates =
        [("50 Mbit/s", 50_000_000), ("384 kbit/s", 384_000), ("1 Gbit/s", 1_000_000_000), ("9 bit/s", 9)];
    for (text, bits) in bit_rates {
        assert_eq!(text.parse(), Ok(BitRate(bits)), "{text}");
    }
}

#[test]
fn a_number_alone_is_refused_with_the_units_it_may_have() {
    let message = |error: UnitError| error.to_string();
    assert_eq!(
        "10".parse::<Rate>().map_err(message),
        Err("not a rate: the unit is missing; add Hz or kHz, as in \"10 Hz\"".to_owned())
    );
    assert_eq!(
        parse_duration("500").map_err(message),
        Err("not a duration: the unit is missing; add ns, us, ms, s or min, as in \"500 ms\"".to_owned())
    );
    assert_eq!(
        "5 mbit/s".parse::<BitRate>().map_err(message),
        Err("not a bit rate: the unit is unknown; use bit/s, kbit/s, Mbit/s or Gbit/s, as in \"50 Mbit/s\""
            .to_owned())
    );
}

#[test]
fn what_is_no_quantity_is_refused_for_its_own_reason() {
    let cases = [
        ("", Fault::NotANumber),
        ("ms", Fault::NotANumber),
        ("NaN s", Fault::NotANumber),
        ("inf s", Fault::NotANumber),
        (".5 s", Fault::NotANumber),
        ("5. s", Fault::NotANumber),
        ("1.2.3 s", Fault::NotANumber),
        ("+5 s", Fault::NotANumber),
        ("٣ s", Fault::NotANumber),
        ("-5 ms", Fault::Negative),
        ("1e3 s", Fault::UnknownUnit),
        ("1,5 s", Fault::UnknownUnit),
        ("5 MS", Fault::UnknownUnit),
        ("5 Hz", Fault::UnknownUnit),
        ("0.5 ns", Fault::TooFine),
        ("0.0000000000000000000001 s", Fault::TooFine),
        ("18446744073709551616 ns", Fault::TooLarge),
        ("18446744073709551615 min", Fault::TooLarge),
    ];
    for (text, why) in cases {
        assert_eq!(fault(parse_duration(text)), why, "{text:?}");
    }
    assert_eq!(fault("0 Hz".parse::<Rate>()), Fault::Zero);
    assert_eq!(fault("0.0001 Hz".parse::<Rate>()), Fault::TooFine);
    assert_eq!(fault("18446744073709551615 GB".parse::<Bytes>()), Fault::TooLarge);
}

#[test]
fn a_period_is_the_nearest_nanosecond() {
    let period = |millihertz| Rate::from_millihertz(millihertz).map(|rate| rate.period().as_nanos());
    assert_eq!(period(10_000), Some(100_000_000));
    assert_eq!(period(1), Some(1_000_000_000_000));
    assert_eq!(period(30_000), Some(33_333_333), "33 333 333.3 ns");
    assert_eq!(period(60_000), Some(16_666_667), "16 666 666.7 ns");
    assert_eq!(period(0), None);
}

#[test]
fn a_bit_rate_is_size_times_rate_and_saturates() {
    let rate = Rate::from_millihertz(10_000).expect("not zero");
    assert_eq!(Bytes(374_000).at(rate), BitRate(29_920_000));
    let slow = Rate::from_millihertz(1).expect("not zero");
    assert_eq!(Bytes(1).at(slow), BitRate(1), "a part of a bit still needs one");
    assert_eq!(Bytes(u64::MAX).at(rate), BitRate(u64::MAX));
}

#[test]
fn printing_takes_the_largest_unit_that_fits() {
    assert_eq!(Bytes(374_000).to_string(), "374 kB");
    assert_eq!(Bytes(65_536).to_string(), "65.536 kB");
    assert_eq!(Bytes(0).to_string(), "0 B");
    assert_eq!(BitRate(29_920_000).to_string(), "29.92 Mbit/s");
    assert_eq!(DurationText(Duration::from_millis(1_500)).to_string(), "1.5 s");
    assert_eq!("0.05 Hz".parse::<Rate>().map(|rate| rate.to_string()), Ok("0.05 Hz".to_owned()));
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_the_same(value: u64, seconds: u64, nanos in 0u32..1_000_000_000) {
        prop_assert_eq!(Bytes(value).to_string().parse(), Ok(Bytes(value)));
        prop_assert_eq!(BitRate(value).to_string().parse(), Ok(BitRate(value)));
        if let Some(rate) = Rate::from_millihertz(value) {
            prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        }
        let span = Duration::new(seconds, nanos);
        prop_assert_eq!(parse_duration(&DurationText(span).to_string()), Ok(span));
    }

    #[test]
    fn no_text_panics(text in "[0-9.+-]{0,40} ?[a-zA-Z/]{0,8}|.*") {
        let _ = (parse_duration(&text), text.parse::<Rate>(), text.parse::<Bytes>(), text.parse::<BitRate>());
    }
}
