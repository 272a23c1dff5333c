//! The report of a whole run: from the two ends' records through join and result file to the page
//! (SPEC.md MEA-60 to MEA-66).

use std::path::Path;
use std::time::Duration;

use tokkyu_contract::{MonoTime, Outcome};
use tokkyu_measure::drive;
use tokkyu_measure::drive::DriveCase;
use tokkyu_measure::environment::Environment;
use tokkyu_measure::join::{join, tally};
use tokkyu_measure::record::Record;
use tokkyu_measure::report::{Drive, Raw, page, report_with};
use tokkyu_measure::result::ResultFile;
use tokkyu_measure::table::ms;
use tokkyu_measure::{BesideFlow, Comparison, Experiment, PeerSettings, Rate, Skipped};

const WARM_UP: u32 = 20;

/// Ages that look like a lossy link's: mostly a few milliseconds, sometimes a repair or two, one of 50 missing.
fn age_ms(camera: u32, sequence: u32, slow: u64) -> Option<u64> {
    let chance = (u64::from(sequence) * 2_654_435_761 + u64::from(camera) * 40_503) % 1_000;
    match chance {
        0..20 => None,
        20..40 => Some(slow * 4 + chance * 3),
        40..200 => Some(slow + chance / 4),
        _ => Some(4 + u64::from(camera) * 3 + chance % 7),
    }
}

fn records(cameras: u32, samples: u32, slow: u64) -> Vec<Record> {
    let streams = (1..=cameras).map(|camera| (camera, format!("camera/{camera}")));
    let streams = streams.chain([(0, "drive/command".to_owned())]);
    let mut sent = Vec::new();
    let mut received = Vec::new();
    for (camera, stream) in streams {
        for sequence in 0..samples {
            let capture = MonoTime::from_millis(5_000 + u64::from(sequence) * 100);
            let age = age_ms(camera, sequence, slow);
            let outcome = if age.is_some() { Outcome::Delivered } else { Outcome::Expired };
            let warm_up = sequence < WARM_UP;
            let offered =
                Record { stream: stream.clone(), sequence, capture, arrival: None, outcome, warm_up };
            received.extend(age.map(|ms| {
                let arrival = Some(capture + Duration::from_millis(ms));
                Record { arrival, outcome: Outcome::Delivered, ..offered.clone() }
            }));
            sent.push(offered);
        }
    }
    let joined = join(&sent, &received);
    assert_eq!(joined.anomalies, []);
    joined.records
}

fn case(network: &str, variant: &str, records: &[Record]) -> DriveCase {
    let mut case = DriveCase {
        network: network.into(),
        peer: "tokkyu".into(),
        variant: variant.into(),
        qos: "reliable keep_last 1 lifespan 500 ms".into(),
        condition: Some(2),
        images: 2,
        seed: 11,
        simulated: true,
        samples: 380,
        wire_bytes: Some(3_100_000),
        payload_bytes: Some(3_000_000),
        link: serde_json::json!({"repaired": 12, "<fec>": [1, 2]}),
        ..DriveCase::default()
    };
    case.set_streams(&tally(records));
    case
}

fn run() -> (ResultFile<DriveCase>, Vec<Vec<Record>>) {
    let (stable, lossy, slow) = (records(2, 400, 10), records(2, 400, 60), records(2, 400, 300));
    let cases = vec![
        case("stable", "default", &stable),
        case("loss5", "default", &lossy),
        case("loss5", "no fec", &slow),
    ];
    let environment = Environment { date: Some("2026-01-02T03:04:05Z".into()), ..Environment::default() };
    (ResultFile::new("drive", "tokkyu lab drive --seed 11", environment, cases), vec![stable, lossy, slow])
}

fn page_of(file: &ResultFile<DriveCase>, records: &[Vec<Record>]) -> String {
    let raw = Raw::new(file.cases.len(), |number| records.get(number).cloned().unwrap_or_default());
    page(&report_with(file, raw)).unwrap()
}

fn text_of(page: &str) -> String {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(page, options).expect("the page is well-formed");
    document.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect()
}

#[test]
fn the_page_is_well_formed_and_shows_every_stream_with_its_p99() {
    let (file, records) = run();
    let page = page_of(&file, &records);
    let text = text_of(&page);
    for case in &file.cases {
        assert!(text.contains(&drive::case_title(case)), "{}", drive::case_title(case));
        assert!(text.contains(&case.verdict.as_ref().unwrap().text));
        for stream in &case.streams {
            let p99 = ms(stream.p99_ms());
            assert!(text.contains(&stream.name), "{}", stream.name);
            assert!(text.contains(&p99), "{} p99 {p99}", stream.name);
        }
    }
    for part in ["paper: image 2", "2026-01-02T03:04:05Z", "500 ms required", "wire/payload 1.033", "Warm-up"]
    {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn traffic_beside_the_link_stands_in_text_markdown_and_page() {
    // MEA-50, MEA-54
    let (mut file, records) = run();
    let rate = Rate::new(&[125_000; 20], Duration::from_secs(2), Some(40.0));
    file.cases[1].beside = vec![BesideFlow { algorithm: "cubic".into(), rate }];
    let page = text_of(&page_of(&file, &records));
    let report = Drive::report(&file, Path::new(""));
    for shown in [report.to_text(), report.to_markdown(), page.clone()] {
        assert_eq!(shown.matches("TCP cubic").count(), 1 + usize::from(shown == page), "{shown}");
        assert!(shown.contains("least Mbit/s in 1 s") && shown.contains("25.0"), "{shown}");
    }
    assert!(page.contains("TCP cubic, Mbit/s in each second: 10.0 10.0"));
}

#[test]
fn every_case_has_its_plots_and_every_network_its_curves() {
    let (file, records) = run();
    let page = page_of(&file, &records);
    // Two networks with curves; three cases with two cameras and a timeline each.
    assert_eq!(page.matches("<svg ").count(), 2 + 3 * (2 + 1));
    assert_eq!(page.matches("aria-label=\"Network ").count(), 2);
    assert!(page.contains("age of each image over time"));
    assert!(!page.contains("belong to another run"));
}

#[test]
fn the_page_needs_no_other_file_and_no_host() {
    let (file, records) = run();
    let page = page_of(&file, &records);
    for loaded in ["src=", "href=", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn names_from_outside_are_text_and_never_markup() {
    let (mut file, records) = run();
    let hostile = "</title><script>alert('1')</script>&\u{1}";
    for case in &mut file.cases {
        case.network = hostile.into();
        case.variant = hostile.into();
        case.notes = vec![hostile.into()];
        case.streams[0].name = hostile.into();
    }
    file.command = hostile.into();
    let page = page_of(&file, &records);
    assert!(!page.contains("<script"), "markup came through");
    assert!(text_of(&page).contains("<script>alert('1')</script>"));
}

#[test]
fn records_of_another_run_are_told() {
    let (file, mut records) = run();
    records.swap(0, 2);
    records[0].truncate(300);
    let page = page_of(&file, &records);
    assert!(text_of(&page).contains("belong to another run"));
}

#[test]
fn a_case_without_records_and_a_report_without_cases_are_still_pages() {
    let (file, _) = run();
    let page = page_of(&file, &[]);
    assert!(text_of(&page).contains("No raw records"));
    assert_eq!(page.matches("<svg ").count(), 0);
    let empty = ResultFile::new("drive", "c", Environment::default(), vec![]);
    text_of(&page_of(&empty, &[]));
}

#[test]
fn a_case_that_lost_everything_is_drawn() {
    let lost: Vec<Record> = records(2, 50, 10)
        .into_iter()
        .map(|record| Record { arrival: None, outcome: Outcome::Lost, ..record })
        .collect();
    let case = case("loss5", "nothing arrived", &lost);
    let file = ResultFile::new("drive", "c", Environment::default(), vec![case]);
    let text = text_of(&page_of(&file, &[lost]));
    assert!(text.contains("no image with a latency"), "{text}");
}

#[test]
fn a_comparison_has_a_table_and_a_plot_for_each_network_with_everybody_in_it() {
    // MEA-67 to MEA-69
    let (mut file, records) = run();
    for (case, (network, peer, variant)) in file.cases.iter_mut().zip([
        ("lan", "tokkyu", "default"),
        ("lan", "tcp-bbr", "tuned"),
        ("wan", "zenoh", "default"),
    ]) {
        (case.network, case.peer, case.variant) = (network.into(), peer.into(), variant.into());
    }
    let settings = Some("nodelay, <bbr>".to_owned());
    file.cases[1].peer_settings =
        vec![PeerSettings { end: "vehicle".into(), settings, ..PeerSettings::default() }];
    file.cases[2].records = Some("wan/records.csv".into());
    file.cases[2].notes = vec!["TCP of both namespaces begins with cubic".into()];
    file.skipped =
        vec![Skipped { peer: "srt-live".into(), because: "no program".into(), package: "libsrt".into() }];
    let page = page_of(&file, &records);
    assert_eq!(page.matches("<svg ").count(), 2, "one for each network");
    let shown = text_of(&page);
    let compared = Comparison::of(&file);
    for row in compared.networks.iter().flat_map(|part| part.table().rows) {
        row.cells.iter().for_each(|cell| assert!(shown.contains(cell.as_str()), "{cell}"));
    }
    for goal in compared.goals() {
        assert!(shown.contains(&goal.wanted) && shown.contains(&goal.figures()), "{goal}");
    }
    for part in
        ["nodelay, <bbr>", "srt-live: no program", "wan/records.csv; TCP of both", "SCHED_FIFO not told"]
    {
        assert!(shown.contains(part), "{part}");
    }
    assert_eq!(page.matches("class=\"ours\"").count(), 1);
    let without = text_of(&page_of(&file, &[]));
    assert!(without.contains("No raw records, so no plot."), "{without}");
}
