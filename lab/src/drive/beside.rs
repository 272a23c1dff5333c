//! The table of a case with the paper's rows below ours, and below it that of the traffic beside, if there was any.
//!
//! Pure. The paper's networks are 1 Gbit/s Ethernet without loss and with 5 % of the image packets lost, which is what
//! `lan` and `lan-loss5` are here. Beside any other network stand its rows for the LAN with loss, and the text says so.

use tokkyu_measure::DriveCase;
use tokkyu_measure::competition::competition_table;
use tokkyu_measure::table::{Table, case_title, drive_table, summary_line};

/// What the paper's tables call the network, or the one of its networks that is quoted instead.
fn paper_name(network: &str) -> Quoted {
    match network {
        "lan" => Quoted::Same("stable"),
        "lan-loss5" => Quoted::Same("loss5"),
        _ => Quoted::Instead("loss5"),
    }
}

/// Rows of the paper.
enum Quoted {
    /// Of the same network.
    Same(&'static str),
    /// Of its bad network: the paper measured none like ours.
    Instead(&'static str),
}

/// Said where the rows quoted are not of the same network.
const INSTEAD: &str = "the paper measured no such network: quoted are its rows for a LAN with 5 % loss";

/// The table of `case`, quoted rows and all.
pub fn table(case: &DriveCase) -> Table {
    let (Quoted::Same(name) | Quoted::Instead(name)) = paper_name(&case.network);
    drive_table(&DriveCase { network: name.to_owned(), ..case.clone() })
}

/// All cases as text for a terminal.
pub fn text(cases: &[DriveCase]) -> String {
    let part = |case: &DriveCase| {
        let company = competition_table(case).map(|table| table.to_text()).unwrap_or_default();
        let head =
            format!("{}\n{}{company}{}\n", case_title(case), table(case).to_text(), summary_line(case));
        head + &lines(case, "")
    };
    cases.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// All cases as Markdown.
pub fn markdown(cases: &[DriveCase]) -> String {
    let part = |case: &DriveCase| {
        let company = competition_table(case).map(|t| format!("\n{}", t.to_markdown())).unwrap_or_default();
        let head = format!(
            "### {}\n\n{}{company}\n- {}\n",
            case_title(case),
            table(case).to_markdown(),
            summary_line(case)
        );
        head + &lines(case, "- ")
    };
    cases.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// Verdict and notes, a line each.
fn lines(case: &DriveCase, bullet: &str) -> String {
    let verdict = case.verdict.iter().map(|verdict| verdict.text.as_str());
    let is_instead = matches!(paper_name(&case.network), Quoted::Instead(_));
    let instead = (case.condition.is_some() && is_instead).then_some(INSTEAD);
    let notes = case.notes.iter().map(String::as_str);
    verdict.chain(instead).chain(notes).map(|line| format!("{bullet}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_measure::{BesideFlow, StreamResult};

    fn case(network: &str) -> DriveCase {
        DriveCase {
            network: network.into(),
            condition: Some(1),
            images: 1,
            streams: vec![StreamResult { name: "camera/1".into(), ..StreamResult::default() }],
            notes: vec!["wire: well".into()],
            ..DriveCase::default()
        }
    }

    #[test]
    fn other_networks_are_shown_beside_the_papers_bad_one_and_say_so() {
        let quoted = |network| text(&[case(network)]).contains("quoted are its rows");
        assert_eq!(["lan", "lan-loss5", "wan-loss5", "narrow"].map(quoted), [false, false, true, true]);
        let mean = |network| table(&case(network)).rows[1].cells[1].clone();
        assert_eq!(mean("wan-loss5"), mean("lan-loss5"));
        assert_ne!(mean("wan-loss5"), mean("lan"));
    }

    #[test]
    fn traffic_of_others_has_a_table_of_its_own_below_ours() {
        let flow = BesideFlow { algorithm: "bbr".into(), ..BesideFlow::default() };
        let company = DriveCase { beside: vec![flow], condition: None, ..case("wan-loss1") };
        for show in [text, markdown] {
            assert!(show(std::slice::from_ref(&company)).contains("TCP bbr"));
            assert!(!show(&[case("wan-loss1")]).contains("beside"));
        }
    }

    #[test]
    fn a_table_keeps_our_name_of_the_network_and_tells_the_notes() {
        for shown in [text(&[case("lan")]), markdown(&[case("lan")])] {
            assert!(shown.contains("lan, 1 image") && !shown.contains("stable"), "{shown}");
            assert!(shown.contains("paper: image 1") && shown.contains("wire: well"), "{shown}");
        }
    }
}
