//! The page of an experiment on background traffic, of a study as it is run and of any cases at all (SPEC.md MEA-89 to
//! MEA-92).

use std::path::Path;

use proptest::prelude::*;
use tokkyu_measure::Experiment;
use tokkyu_measure::environment::Environment;
use tokkyu_measure::lbe::{Foreground, LbeCase, Quartiles, Spread, compare, goals, paper};
use tokkyu_measure::report::{Lbe, page};
use tokkyu_measure::result::ResultFile;

const SCHEMES: [&str; 8] =
    ["none", "none-small-queue", "pfifo", "prio", "task", "lbe", "lbe-8k", "of tomorrow"];

fn case(scheme: &str, background: &str, direction: Foreground, bytes: u64, ms: f64) -> LbeCase {
    let around = |value: f64| Some(Quartiles { p25: value * 0.97, p75: value * 1.04 });
    LbeCase {
        kernel: "6.1.0-test".into(),
        scheme: scheme.into(),
        background: background.into(),
        direction,
        bytes,
        link_kbps: if matches!(direction, Foreground::Compute) { 20_000 } else { 384 },
        processors: 1,
        n: 20,
        median_ms: ms,
        rounds_ms: vec![ms * 0.99, ms, ms * 1.01],
        p95_ms: ms * 1.1,
        best_ms: ms * 0.9,
        worst_ms: ms * 1.2,
        spread: Spread { ms: around(ms), instructions: around(ms * 4e3), context_switches: around(50.0) },
        ratio_to_none: None,
        baseline: "none".into(),
        instructions: ms * 4e3,
        instructions_per_packet: Some(1.1e4),
        context_switches: 50.0,
        background_bytes: 470_000,
        background_share: 0.98,
        notes: vec!["said <once>".into()],
    }
}

/// What a study leaves: requests, packets, computation and nothing, for all schemes.
fn study() -> Vec<LbeCase> {
    let mut cases = Vec::new();
    for (number, scheme) in SCHEMES.into_iter().enumerate() {
        let alone = scheme.starts_with("none");
        let slower = 1.0 + number as f64 / 10.0;
        for background in if alone { &["none"][..] } else { &["tcp8", "udp1"][..] } {
            for bytes in [1_000, 20_000, 100_000] {
                for direction in [Foreground::Post, Foreground::Get] {
                    cases.push(case(scheme, background, direction, bytes, 200.0 * slower));
                }
            }
            cases.push(case(scheme, background, Foreground::Compute, 0, 800.0 * slower));
            if !alone {
                cases.push(case(scheme, background, Foreground::React, 0, 12.0 * slower));
                cases.push(case(scheme, background, Foreground::Idle, 0, 10_000.0));
                let fast = case(scheme, background, Foreground::Idle, 0, 10_000.0);
                cases.push(LbeCase { link_kbps: 20_000, n: 1, ..fast });
            }
        }
    }
    compare(&mut cases);
    cases
}

fn file(cases: Vec<LbeCase>) -> ResultFile<LbeCase> {
    let environment = Environment { date: Some("2026-01-02T03:04:05Z".into()), ..Environment::default() };
    ResultFile::new("lbe", "tokkyu lab lbe --seed 11", environment, cases)
}

fn page_of(cases: Vec<LbeCase>) -> String {
    page(&Lbe::report(&file(cases), Path::new(""))).expect("it is drawn")
}

/// Of elements and of drawings.
fn text_of(page: &str) -> String {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(page, options).expect("the page is well-formed");
    let texts = document.descendants().filter(|node| node.is_text()).filter_map(|node| node.text());
    texts.collect::<Vec<_>>().join("\n")
}

/// Plots whose name has `words` in it.
fn plots(page: &str, words: &str) -> usize {
    page.split("aria-label=\"").skip(1).filter(|rest| rest.split('"').next().unwrap().contains(words)).count()
}

#[test]
fn every_scheme_is_named_and_nothing_is_nan() {
    let page = page_of(study());
    let shown = text_of(&page);
    for scheme in SCHEMES {
        assert!(shown.contains(scheme), "{scheme}");
    }
    for nonsense in ["NaN", "inf", "-0.0"] {
        assert!(!shown.contains(nonsense), "{nonsense}");
    }
    assert!(!page.contains("NaN"), "nor in a drawing");
    assert_eq!(shown.matches("said <once>").count(), 25, "for each work and background once");
}

#[test]
fn each_of_the_papers_figures_has_its_plots() {
    // MEA-90
    let page = page_of(study());
    let shown = text_of(&page);
    for heading in
        ["Beside figures 6 and 7", "figures 8 and 9", "figure 10:", "figures 11 and 12", "section 5.5"]
    {
        assert!(shown.contains(heading), "{heading}");
    }
    for direction in ["GET", "POST"] {
        for background in ["tcp8", "udp1"] {
            let of = |axis: &str| {
                plots(
                    &page,
                    &format!("{direction}, beside {background}, 384 kbit/s, Linux 6.1.0-test: {axis}"),
                )
            };
            assert_eq!(of("time, ms"), 2, "figures 6, 7 and 10");
            assert_eq!(of("longer than alone"), 2);
            assert_eq!((of("instructions"), of("task switches")), (1, 1), "figures 8 and 9");
        }
        assert_eq!(plots(&page, &format!("{direction}, nobody else there")), 2, "figures 11 and 12");
    }
    for (axis, count) in
        [("wait of a packet", 2), ("instructions for each packet", 2), ("share of the link", 6)]
    {
        assert_eq!(plots(&page, axis), count, "{axis}");
    }
    assert_eq!(plots(&page, "computation longer than alone"), 2);
    assert!(!shown.contains("Was not run."));
    assert!(shown.contains("TCP Nice, by the paper: 1400 ms") && shown.contains("a full frame: 32.0 ms"));
}

#[test]
fn goals_paper_and_tables_are_the_same_in_page_text_and_markdown() {
    // MEA-50, MEA-87
    let cases = study();
    let shown = text_of(&page_of(cases.clone()));
    for goal in goals(&cases) {
        assert!(shown.contains(&goal.wanted) && shown.contains(&goal.figures()), "{goal}");
    }
    let file = file(cases.clone());
    let report = Lbe::report(&file, Path::new(""));
    for line in paper::beside_ours(&cases) {
        for told in [report.to_text(), report.to_markdown(), shown.clone()] {
            assert!(told.contains(&line.paper) && told.contains(&line.ours_is), "{line:?}");
        }
    }
    assert!(shown.contains(paper::SOURCE) && shown.contains("194.00–208.00"));
}

#[test]
fn the_page_needs_no_other_file_and_no_host() {
    let page = page_of(study());
    for loaded in ["src=", "href=", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    assert_eq!(page.matches("http").count(), page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn names_from_outside_are_text_and_never_markup() {
    let mut cases = study();
    for case in &mut cases {
        for name in [&mut case.kernel, &mut case.scheme, &mut case.background] {
            // At both ends: a plot shows the beginning of a long name.
            *name = format!("\u{1}<b>{name}</title><script>'1'</script>&\u{1}");
        }
    }
    let page = page_of(cases);
    assert!(!page.contains("<script"), "markup came through");
    assert!(text_of(&page).contains("<script>'1'</script>"));
}

#[test]
fn what_was_not_run_is_said() {
    let alone = page_of(vec![case("none", "none", Foreground::Post, 1_000, 200.0)]);
    assert_eq!(text_of(&alone).matches("Was not run.").count(), 8);
    assert_eq!(alone.matches("<svg ").count(), 0);
    text_of(&page_of(Vec::new()));
}

fn any_number() -> impl Strategy<Value = f64> {
    let odd = prop::sample::select(vec![0.0, -1.0, 1e-300, f64::MAX, f64::MIN, f64::NAN, f64::INFINITY]);
    prop_oneof![3 => 0.001..1e6_f64, 1 => odd]
}

fn any_quartiles() -> impl Strategy<Value = Option<Quartiles>> {
    prop::option::of((any_number(), any_number()).prop_map(|(p25, p75)| Quartiles { p25, p75 }))
}

fn any_case() -> impl Strategy<Value = LbeCase> {
    let directions =
        [Foreground::Post, Foreground::Get, Foreground::Compute, Foreground::Idle, Foreground::React];
    let numbers = prop::sample::select(vec![0, 1, 2, 1_000, 100_000, u64::MAX]);
    let names = (
        prop::sample::select(&SCHEMES[..]),
        prop::sample::select(vec!["none", "tcp8", "udp1", ""]),
        prop::sample::select(directions.to_vec()),
        numbers,
        prop::sample::select(vec![0, 384, 20_000, u32::MAX]),
    );
    let values = (any_number(), any_number(), any_number(), any_number(), any_number());
    (names, values, any_quartiles(), any_quartiles(), 0..3_usize, 1..3_u32).prop_map(
        |((scheme, background, direction, bytes, link_kbps), values, ms, instructions, n, processors)| {
            LbeCase {
                link_kbps,
                processors,
                n,
                worst_ms: values.1,
                best_ms: values.1,
                instructions: values.2,
                instructions_per_packet: Some(values.2),
                context_switches: values.3,
                background_share: values.4,
                background_bytes: bytes,
                spread: Spread { ms, instructions, context_switches: ms },
                ..case(scheme, background, direction, bytes, values.0)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cases_make_a_page_without_a_panic(mut cases in prop::collection::vec(any_case(), 0..25)) {
        compare(&mut cases);
        let page = page_of(cases.clone());
        let shown = text_of(&page);
        prop_assert!(!page.contains("NaN") && !shown.contains("inf"), "{}", shown);
        for case in &cases {
            prop_assert!(shown.contains(&case.scheme));
        }
        let file = file(cases);
        let report = Lbe::report(&file, Path::new(""));
        for told in [report.to_text(), report.to_markdown()] {
            prop_assert!(!told.contains("NaN"));
        }
    }
}
