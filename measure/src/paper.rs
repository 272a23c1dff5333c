//! Figures of the remote-driving paper, to stand beside our own.
//!
//! Source: 川上 勇剛, 本田 晋也, 倉地 亮, 中條 直也: ROS2を用いた遠隔運転を想定した通信のリアルタイム性評価 (Real-time
//! Evaluation of Communication Assuming Remote Driving using ROS2), tables 4 and 5, as data in
//! `data/remote_driving.csv`. ROS 2 Dashing on OpenSplice over 1 Gbit/s Ethernet between two PCs (Core i5-7200U), one
//! to four images of 374 kB at 10 Hz, 10 000 samples each: other hardware than ours, so a row beside ours is a
//! reference and not a baseline.
//!
//! The paper's two networks are 1 Gbit/s Ethernet without loss and with 5 % of the image packets lost, which is what `lan`
//! and `lan-loss5` are here. Beside any other network stand its rows for the LAN with loss, and [`INSTEAD`] says so.
//!
//! Runs in the analysis; the table is read once. Invariant: the compiled-in data is complete (a test reads it all).

use std::sync::LazyLock;

const TABLE: &str = include_str!("../data/remote_driving.csv");

/// Samples the paper sent on each image.
pub const SAMPLES: u64 = 10_000;

/// One row of the paper's table 4 (stable network) or 5 (5 % random packet loss).
#[derive(Clone, Debug, PartialEq)]
pub struct PaperRow {
    /// `stable` or `loss5`.
    pub network: &'static str,
    /// Images that were sent, 1 to 4.
    pub images: u32,
    /// Which of them, from 1.
    pub image: u32,
    /// QoS: 1 reliable keep last 10, 2 reliable keep last 1, 3 reliable keep all, 4 best effort keep last 1.
    pub condition: u8,
    /// Mean latency in milliseconds, lost samples left out.
    pub mean_ms: f64,
    /// Largest latency in milliseconds.
    pub worst_ms: f64,
    /// Smallest latency in milliseconds.
    pub best_ms: f64,
    /// Standard deviation in milliseconds, lost samples left out.
    pub sd_ms: f64,
    /// Samples lost of [`SAMPLES`].
    pub lost: u64,
}

static ROWS: LazyLock<Vec<PaperRow>> = LazyLock::new(|| {
    let lines = TABLE.lines().skip(1);
    lines.map(|line| parse(line).expect("the table is compiled in and tested")).collect()
});

/// All rows, in the paper's order.
pub fn rows() -> &'static [PaperRow] {
    &ROWS
}

/// The paper's row for `image` of so many `images` under a QoS condition; `None` if the paper has none.
pub fn row(network: &str, images: u32, image: u32, condition: u8) -> Option<&'static PaperRow> {
    rows().iter().find(|row| {
        row.network == network && row.images == images && row.image == image && row.condition == condition
    })
}

/// A QoS condition in ROS 2's words.
pub fn condition_words(condition: u8) -> &'static str {
    match condition {
        1 => "reliable keep_last 10",
        2 => "reliable keep_last 1",
        3 => "reliable keep_all",
        4 => "best_effort keep_last 1",
        _ => "no condition of the paper",
    }
}

/// What is said where the rows beside a case are not of its network.
pub const INSTEAD: &str = "the paper measured no such network: quoted are its rows for a LAN with 5 % loss";

/// What the paper's tables call our `network`, or the one of its networks that is quoted instead.
pub fn network_beside(network: &str) -> &'static str {
    if network == "lan" { "stable" } else { "loss5" }
}

/// Whether the paper measured our `network`.
pub fn measured(network: &str) -> bool {
    matches!(network, "lan" | "lan-loss5")
}

fn parse(line: &'static str) -> Option<PaperRow> {
    let fields: Vec<&'static str> = line.split(',').collect();
    let [network, images, image, condition, mean_ms, worst_ms, best_ms, sd_ms, lost] = fields[..] else {
        return None;
    };
    Some(PaperRow {
        network,
        images: images.parse().ok()?,
        image: image.parse().ok()?,
        condition: condition.parse().ok()?,
        mean_ms: mean_ms.parse().ok()?,
        worst_ms: worst_ms.parse().ok()?,
        best_ms: best_ms.parse().ok()?,
        sd_ms: sd_ms.parse().ok()?,
        lost: lost.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_are_complete() {
        for network in ["stable", "loss5"] {
            for images in 1..=4 {
                for image in 1..=images {
                    for condition in 1..=4 {
                        assert!(
                            row(network, images, image, condition).is_some(),
                            "{network} {images} {image} {condition}"
                        );
                    }
                }
            }
        }
        assert_eq!(rows().len(), 2 * (1 + 2 + 3 + 4) * 4);
    }

    #[test]
    fn rows_are_those_printed_in_the_paper() {
        let best_effort = row("stable", 1, 1, 4).unwrap();
        assert_eq!((best_effort.mean_ms, best_effort.worst_ms, best_effort.lost), (3.4, 4.5, 76));
        let runaway = row("loss5", 4, 4, 1).unwrap();
        assert_eq!((runaway.mean_ms, runaway.best_ms, runaway.sd_ms), (35_990.2, 12_384.0, 2_233.1));
        assert_eq!(runaway.lost, 112);
    }

    #[test]
    fn every_row_is_possible() {
        for row in rows() {
            assert!(row.best_ms <= row.mean_ms && row.mean_ms <= row.worst_ms, "{row:?}");
            assert!(row.lost <= SAMPLES, "{row:?}");
        }
    }

    #[test]
    fn a_network_it_did_not_measure_stands_beside_its_bad_one() {
        let beside = ["lan", "lan-loss5", "wan-loss5"].map(|name| (network_beside(name), measured(name)));
        assert_eq!(beside, [("stable", true), ("loss5", true), ("loss5", false)]);
    }

    #[test]
    fn what_the_paper_did_not_measure_has_no_row() {
        assert_eq!(row("lte", 1, 1, 1), None);
        assert_eq!(row("stable", 1, 2, 1), None);
        assert_eq!(row("stable", 1, 1, 5), None);
    }
}
