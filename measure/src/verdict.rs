//! Verdict on a drive case: were the images there within 500 ms, and how many were?
//!
//! Runs in the analysis. The requirement is the paper's (section 4.2): images not older than 500 ms for driving at up
//! to 20 km/h. Rules: SPEC.md MEA-45.

use serde::{Deserialize, Serialize};

use crate::drive::StreamResult;

/// Longest allowed age of an image at its arrival, in milliseconds.
pub const REQUIREMENT_MS: u64 = 500;

/// Whether the images of a case met the requirement, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// True if every image delivered was at most [`Verdict::requirement_ms`] old and none was late, expired or lost.
    /// Images may have been dropped on purpose; then the text begins with that.
    pub pass: bool,
    /// The requirement that was judged by, in milliseconds.
    pub requirement_ms: u64,
    /// The reasons, one sentence.
    pub text: String,
}

impl Verdict {
    /// Judges the camera streams among `streams`. Images dropped on purpose while fresh do not fail a case, but are
    /// told. A case without an image, or with a ledger that does not close, fails: it proves nothing.
    pub fn judge(streams: &[StreamResult]) -> Self {
        let cameras: Vec<&StreamResult> = streams.iter().filter(|stream| stream.is_camera()).collect();
        let faults: Vec<String> = cameras.iter().filter_map(|camera| fault_of(camera)).collect();
        let delivered: u64 = cameras.iter().map(|camera| camera.ledger.delivered).sum();
        let pass = faults.is_empty() && delivered > 0;
        let text = match (pass, faults.is_empty()) {
            (true, _) => met(&cameras, delivered),
            (false, true) => "Not met: no image was delivered.".to_owned(),
            (false, false) => format!("Not met: {}.", faults.join("; ")),
        };
        Verdict { pass, requirement_ms: REQUIREMENT_MS, text }
    }
}

fn fault_of(camera: &StreamResult) -> Option<String> {
    let ledger = &camera.ledger;
    if !ledger.closes() {
        return Some(format!("{}: {ledger}", camera.name));
    }
    let mut faults = Vec::new();
    match camera.figures.worst_ms {
        Some(worst_ms) if worst_ms > REQUIREMENT_MS as f64 => faults.push(format!("worst {worst_ms:.1} ms")),
        None if ledger.offered > 0 => faults.push("no image with a latency".to_owned()),
        _ => {}
    }
    if camera.figures.n < ledger.delivered && camera.figures.n > 0 {
        faults.push(format!("{} delivered without a latency", ledger.delivered - camera.figures.n));
    }
    for (count, word) in [(ledger.late, "late"), (ledger.expired, "expired"), (ledger.lost, "lost")] {
        if count > 0 {
            faults.push(format!("{count} {word} of {}", ledger.offered));
        }
    }
    (!faults.is_empty()).then(|| format!("{}: {}", camera.name, faults.join(", ")))
}

fn met(cameras: &[&StreamResult], delivered: u64) -> String {
    let worst_ms = cameras.iter().filter_map(|camera| camera.figures.worst_ms).fold(0.0, f64::max);
    let dropped: u64 = cameras.iter().map(|camera| camera.ledger.dropped).sum();
    let offered: u64 = cameras.iter().map(|camera| camera.ledger.offered).sum();
    // First, because whoever reads one word must not take it for all images.
    let (met, told_drops) = match dropped {
        0 => ("Met", String::new()),
        count => ("Met for what was sent", format!("; {count} dropped on purpose while fresh")),
    };
    format!(
        "{met}: {delivered} of {offered} images offered arrived, all within {REQUIREMENT_MS} ms, \
         worst {worst_ms:.1} ms{told_drops}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Summary;
    use tokkyu_contract::Ledger;

    fn camera(worst_ms: f64, ledger: Ledger) -> StreamResult {
        let figures = Summary { n: ledger.delivered, worst_ms: Some(worst_ms), ..Summary::default() };
        StreamResult { name: "camera/1".into(), ledger, figures }
    }

    fn ledger(delivered: u64, rest: Ledger) -> Ledger {
        let offered = delivered + rest.late + rest.expired + rest.dropped + rest.lost;
        Ledger { offered, delivered, ..rest }
    }

    #[test]
    fn all_images_within_the_requirement_pass_the_limit_included() {
        let verdict = Verdict::judge(&[camera(500.0, ledger(10, Ledger::default()))]);
        assert!(verdict.pass, "{}", verdict.text);
        assert_eq!(verdict.text, "Met: 10 of 10 images offered arrived, all within 500 ms, worst 500.0 ms.");
    }

    #[test]
    fn one_image_over_the_requirement_fails() {
        let verdict = Verdict::judge(&[camera(500.000_001, ledger(10, Ledger::default()))]);
        assert!(!verdict.pass);
        assert!(verdict.text.contains("camera/1: worst 500.0 ms"), "{}", verdict.text);
    }

    #[test]
    fn one_late_expired_or_lost_image_fails_and_is_named() {
        for (rest, word) in [
            (Ledger { late: 1, ..Ledger::default() }, "1 late of 10"),
            (Ledger { expired: 1, ..Ledger::default() }, "1 expired of 10"),
            (Ledger { lost: 1, ..Ledger::default() }, "1 lost of 10"),
        ] {
            let verdict = Verdict::judge(&[camera(20.0, ledger(9, rest))]);
            assert!(!verdict.pass, "{word}");
            assert!(verdict.text.contains(word), "{}", verdict.text);
        }
    }

    #[test]
    fn images_dropped_while_fresh_do_not_fail_but_are_told_first() {
        let verdict = Verdict::judge(&[camera(20.0, ledger(9, Ledger { dropped: 3, ..Ledger::default() }))]);
        assert!(verdict.pass);
        assert_eq!(
            verdict.text,
            "Met for what was sent: 9 of 12 images offered arrived, all within 500 ms, worst 20.0 ms; \
             3 dropped on purpose while fresh."
        );
    }

    #[test]
    fn a_case_that_proves_nothing_fails() {
        assert!(!Verdict::judge(&[]).pass, "no camera at all");
        let open = Ledger { offered: 10, delivered: 9, ..Ledger::default() };
        let verdict = Verdict::judge(&[camera(20.0, open)]);
        assert!(!verdict.pass && verdict.text.contains("does not close"), "{}", verdict.text);
        let timeless = StreamResult {
            figures: Summary { n: 8, ..camera(20.0, Ledger::default()).figures },
            ..camera(20.0, ledger(10, Ledger::default()))
        };
        assert!(!Verdict::judge(&[timeless]).pass, "two images nobody timed");
    }

    #[test]
    fn the_command_stream_is_not_an_image() {
        let images = camera(20.0, ledger(10, Ledger::default()));
        let mut command = camera(900.0, ledger(1, Ledger { lost: 5, ..Ledger::default() }));
        command.name = "drive/command".into();
        assert!(Verdict::judge(&[images, command]).pass);
    }
}
