//! Words of the command line, read: ways and rates.

use std::str::FromStr;

use tokkyu_contract::BitRate;
use tokkyu_lbe::Way;

/// A way, or the best there is. By this name: an `Option` would be to clap an argument that may be missing.
pub(super) type AnyWay = Option<Way>;

/// A way, as people write it.
pub(super) fn way(word: &str) -> Result<AnyWay, String> {
    match word {
        "auto" => Ok(None),
        "module" => Ok(Some(Way::Module)),
        "htb" => Ok(Some(Way::Htb)),
        _ => Err("use auto, module or htb".to_owned()),
    }
}

/// A bit rate, as the contract writes it, or without the space that a shell would split it at.
pub(super) fn rate(word: &str) -> Result<BitRate, String> {
    let number =
        word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '/').trim_end();
    let unit = word[number.len()..].trim_start();
    let rate = BitRate::from_str(&format!("{number} {unit}"))
        .map_err(|error| format!("{}; {}", error.what(), error.remedy()))?;
    if rate < SLOWEST { Err(format!("{SLOWEST} at least")) } else { Ok(rate) }
}

/// Below it the background's hundredth is a packet in two minutes.
const SLOWEST: BitRate = BitRate(8_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_with_and_without_a_space() {
        assert_eq!(rate("384kbit/s"), Ok(BitRate(384_000)));
        assert_eq!(rate("2.5 Mbit/s"), Ok(BitRate(2_500_000)));
        for word in ["", "fast", "384", "0Mbit/s"] {
            assert!(!rate(word).unwrap_err().is_empty(), "{word}");
        }
    }
}
