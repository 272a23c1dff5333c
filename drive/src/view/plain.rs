//! The view as one line of text, for a pipe, a log file or a terminal that cannot be drawn on.
//!
//! Pure. Invariant: the line has no line end and no control character, whatever the peer calls its flows.

use super::snapshot::{CameraRow, NAME, Snapshot, clock, ms};
use crate::safety::Need;
use crate::text::printable;

/// One line about `snapshot`.
pub fn line(snapshot: &Snapshot) -> String {
    let total = snapshot.total.map_or(String::new(), |total| format!("/{}", clock(total)));
    let mut parts =
        vec![format!("{}{total} {}", clock(snapshot.elapsed), printable(&snapshot.network, NAME))];
    parts.extend(snapshot.cameras.iter().map(camera));
    parts.push(link(snapshot));
    parts.push(control(snapshot));
    parts.extend(snapshot.notice.iter().map(|notice| format!("! {}", printable(notice, 300))));
    parts.join(" | ")
}

fn camera(row: &CameraRow) -> String {
    let ledger = &row.ledger;
    let quality = row.quality.map_or(String::new(), |quality| format!(" quality {quality}"));
    format!(
        "{} age {} p50 {} p99 {} {:.1} Hz{quality} lost {} late {} expired {} dropped {}",
        printable(&row.name, NAME),
        ms(row.age),
        ms(row.p50),
        ms(row.p99),
        row.rate_hz,
        ledger.lost,
        ledger.late,
        ledger.expired,
        ledger.dropped
    )
}

/// The link in a few words.
pub(crate) fn link(snapshot: &Snapshot) -> String {
    let link = &snapshot.link;
    format!(
        "link {}, rtt {}, loss {:.1} %, parity {:.1} %, repair {:.1} %{}",
        link.sending(),
        ms(link.rtt),
        link.loss_percent,
        link.parity_percent,
        link.repair_percent,
        link.paths_in_words().map_or_else(String::new, |words| format!(", {words}"))
    )
}

/// The commands in a few words.
pub(crate) fn control(snapshot: &Snapshot) -> String {
    let row = &snapshot.control;
    let gate = row.gate.map_or("–", |gate| gate.as_str());
    let need = Some(row.need).filter(|need| *need != Need::Nothing).map(|need| need.as_str().to_owned());
    let slower = row.slower.map(|slower| slower.words());
    let more: String = [need, row.holder_in_words(), slower]
        .iter()
        .flatten()
        .fold(String::new(), |before, words| before + ", " + words);
    let comma = if more.is_empty() { "" } else { "," };
    let (last, p50, p99) = (ms(row.last), ms(row.p50), ms(row.p99));
    format!("control {gate}{more}{comma} age {last} p50 {p50} p99 {p99} safe stops {}", row.safe_stops)
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::{PathRow, example};
    use super::*;

    #[test]
    fn the_line_says_what_the_screen_says() {
        assert_eq!(
            line(&example()),
            "1:15/2:00 lte-drive \
             | camera/front age 45.0 ms p50 44.0 ms p99 212.0 ms 10.0 Hz quality 85 lost 3 late 3 expired 4 dropped 2 \
             | camera/rear age 620.0 ms p50 – p99 – 0.0 Hz lost 0 late 0 expired 0 dropped 0 \
             | link 30.10 Mbit/s of 40.00 Mbit/s granted, rtt 38.0 ms, loss 2.5 %, parity 8.2 %, repair 1.5 % \
             | control driving, at most 38.5 km/h (260 ms), age 19.0 ms p50 21.0 ms p99 60.0 ms safe stops 2"
        );
    }

    /// DRV-141.
    #[test]
    fn the_line_names_each_of_several_ways() {
        let mut snapshot = example();
        snapshot.link.paths.push(PathRow { number: 2, rtt: None });
        let line = line(&snapshot);
        assert!(line.contains("repair 1.5 %, paths 1 38 ms, 2 SILENT | control"), "{line}");
    }

    #[test]
    fn the_line_names_who_holds_the_stop() {
        let mut snapshot = example();
        (snapshot.control.need, snapshot.control.held_by) = (Need::Reset, Some("screen".into()));
        let line = line(&snapshot);
        let expected = ", waits for the release of the emergency stop, screen holds the stop, at most 38.5 km/h (260 ms), age";
        assert!(line.contains(expected), "{line}");
    }

    #[test]
    fn a_peers_names_cannot_break_the_line() {
        let mut snapshot = example();
        snapshot.network = "a\nb\x1b[31m".into();
        snapshot.cameras[0].name = "c\rd".into();
        snapshot.notice = Some("disk\x07full".into());
        assert!(!line(&snapshot).contains(char::is_control));
    }
}
