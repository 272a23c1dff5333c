//! The devices that lead out of here: those of the default routes (LBE-104), as `/proc/net` of this network namespace says.

use std::collections::BTreeSet;
use std::fs;

/// Names of the devices with a default route, sorted.
pub fn uplinks() -> Vec<String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let four = read("/proc/self/net/route");
    let six = read("/proc/self/net/ipv6_route");
    let all: BTreeSet<String> = four
        .lines()
        .filter_map(default_of_four)
        .chain(six.lines().filter_map(default_of_six))
        .map(str::to_owned)
        .collect();
    all.into_iter().collect()
}

/// Flag of a route that leads somewhere (`RTF_UP`, not `RTF_REJECT`).
fn leads(flags: &str) -> bool {
    const UP: u32 = 0x1;
    const REJECT: u32 = 0x200;
    u32::from_str_radix(flags, 16).is_ok_and(|flags| flags & UP != 0 && flags & REJECT == 0)
}

/// `Iface Destination Gateway Flags RefCnt Use Metric Mask ...`, numbers in hexadecimal.
fn default_of_four(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_default = words.get(1) == Some(&"00000000") && words.get(7) == Some(&"00000000");
    (is_default && leads(words.get(3)?)).then(|| words[0])
}

/// `destination length source length gateway metric ... flags device`
fn default_of_six(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_default = words.first()?.bytes().all(|digit| digit == b'0') && words.get(1) == Some(&"00");
    let device = *words.get(9)?;
    (is_default && device != "lo" && leads(words[8])).then_some(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_default_routes_count() {
        let four = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
                    eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n\
                    wg0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n\
                    eth0\t0000A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n";
        assert_eq!(four.lines().filter_map(default_of_four).collect::<Vec<_>>(), ["eth0"]);
        let zeros = "0".repeat(32);
        let six = format!(
            "{zeros} 00 {zeros} 00 fe800000000000000000000000000001 00000400 1 0 00450003    wwan0\n\
             {zeros} 00 {zeros} 00 {zeros} ffffffff 1 0 00200200       lo\n\
             fd000000000000000000000000000000 40 {zeros} 00 {zeros} 00000100 1 0 00000001     eth0\n"
        );
        assert_eq!(six.lines().filter_map(default_of_six).collect::<Vec<_>>(), ["wwan0"]);
    }

    #[test]
    fn lines_of_another_shape_are_passed_over() {
        for line in ["", "eth0", "x y z", "eth0 00000000 0 zz 0 0 0 00000000"] {
            assert_eq!((default_of_four(line), default_of_six(line)), (None, None));
        }
    }
}
