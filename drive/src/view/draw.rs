//! The view as a full screen: a table of cameras, a curve of ages for each, gauges of the link, the control row.
//!
//! Pure: draws a [`Snapshot`] into a frame and nothing else; time proportional to the screen. Invariant: it draws
//! into a screen of any size, also of none, and takes any value. What has no room is left out in order of its worth, and
//! never cut in the middle of a figure: a very small screen has words alone, the vehicle's state first.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Gauge, Paragraph, Sparkline};

use super::snapshot::{CameraRow, ControlRow, NAME, Snapshot, clock, ms, rate};
use crate::control::keyboard::{HELP, QUIT_HELP};
use crate::safety::{Need, State};
use crate::text::printable;

mod cameras;
mod small;

/// Curves of this many cameras at most; more would leave no row for the rest.
const MOST_CURVES: usize = 4;
const CURVE_ROWS: u16 = 4;
/// Rows of everything but cameras and curves.
const OTHER_ROWS: u16 = 12;
/// Below this many columns there are no tables.
const NARROWEST: u16 = 50;
/// From here on there is room for every figure of link and control.
const WIDE: u16 = 100;

/// Draws `snapshot` over the whole frame.
pub fn draw(frame: &mut Frame, snapshot: &Snapshot) {
    let cameras = u16::try_from(snapshot.cameras.len()).unwrap_or(u16::MAX);
    let area = frame.area();
    let spare = area.height.checked_sub(cameras.saturating_add(OTHER_ROWS));
    match spare {
        Some(spare) if area.width >= NARROWEST => {
            draw_whole(frame, snapshot, usize::from(spare / CURVE_ROWS))
        }
        _ => frame.render_widget(small::text(snapshot, area.height), area),
    }
}

/// Tables and, as far as there is room for them, curves.
fn draw_whole(frame: &mut Frame, snapshot: &Snapshot, room_for_curves: usize) {
    let rows_of = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let with_ages = snapshot.cameras.iter().take_while(|row| row.knows_ages()).count();
    let curves = with_ages.min(MOST_CURVES).min(room_for_curves);
    let [head, cameras, ages, link, control, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(rows_of(snapshot.cameras.len()).saturating_add(3)),
        Constraint::Length(rows_of(curves) * CURVE_ROWS),
        Constraint::Length(4),
        Constraint::Length(3),
        Constraint::Min(1),
    ])
    .areas(frame.area());
    frame.render_widget(header(snapshot), head);
    frame.render_widget(cameras::table(&snapshot.cameras, cameras.width), cameras);
    draw_curves(frame, ages, &snapshot.cameras[..curves]);
    draw_link(frame, link, snapshot);
    frame.render_widget(control_line(snapshot, control.width), control);
    frame.render_widget(footer(snapshot), foot);
}

fn header(snapshot: &Snapshot) -> Line<'static> {
    let total = snapshot.total.map_or(String::new(), |total| format!(" of {}", clock(total)));
    Line::from(vec![
        Span::raw(" tokkyu ").bold().reversed(),
        Span::raw(format!(" {}  ", printable(&snapshot.network, NAME))),
        Span::raw(format!("{}{total}", clock(snapshot.elapsed))),
    ])
}

/// Green below half the lifespan, yellow below the lifespan, red beyond; plain where there is nothing to compare.
fn age_style(age: Option<Duration>, lifespan: Option<Duration>) -> Style {
    match (age, lifespan) {
        (Some(age), Some(lifespan)) if age > lifespan => Style::new().fg(Color::Red).bold(),
        (Some(age), Some(lifespan)) if age > lifespan / 2 => Style::new().fg(Color::Yellow),
        (Some(_), Some(_)) => Style::new().fg(Color::Green),
        _ => Style::new(),
    }
}

fn draw_curves(frame: &mut Frame, area: Rect, cameras: &[CameraRow]) {
    let areas = Layout::vertical(vec![Constraint::Length(CURVE_ROWS); cameras.len()]).split(area);
    for (row, area) in cameras.iter().zip(areas.iter()) {
        let title = format!(" {}: ages of the last pictures ", printable(&row.name, NAME));
        let room = usize::from(area.width.saturating_sub(2));
        let shown = &row.ages[row.ages.len().saturating_sub(room)..];
        let micros = |age: &Duration| u64::try_from(age.as_micros()).unwrap_or(u64::MAX);
        let highest = shown.iter().max().copied();
        let curve = Sparkline::default()
            .data(shown.iter().map(micros))
            .style(age_style(highest, row.lifespan))
            .block(Block::bordered().title(title).title_top(Line::from(ms(highest)).right_aligned()));
        frame.render_widget(curve, *area);
    }
}

fn draw_link(frame: &mut Frame, area: Rect, snapshot: &Snapshot) {
    let link = &snapshot.link;
    let paths = link.paths_in_words().map_or_else(String::new, |words| format!("{words} "));
    let block = Block::bordered().title(format!(" link {paths}"));
    let [gauge_row, text_row] = Layout::vertical([Constraint::Length(1); 2]).areas(block.inner(area));
    frame.render_widget(block, area);
    let used = fraction(link.send_bps, link.granted_bps);
    frame.render_widget(
        Gauge::default().ratio(used).label(link.sending()).gauge_style(Color::Blue),
        gauge_row,
    );
    let carries = match area.width {
        WIDE.. => format!("network carries about {}   ", rate(link.capacity_bps)),
        _ => String::new(),
    };
    let text = format!(
        "{carries}rtt {}   loss {:.1} %   parity {:.1} %   repair {:.1} %",
        ms(link.rtt),
        link.loss_percent,
        link.parity_percent,
        link.repair_percent
    );
    frame.render_widget(Paragraph::new(text), text_row);
}

/// `part` of `whole`, 0 to 1; the gauge panics outside.
fn fraction(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64).clamp(0.0, 1.0) }
}

/// The gate's state with the colour it deserves.
fn gate_span(gate: Option<State>) -> Span<'static> {
    let (gate, style) = match gate {
        None => ("not reported", Style::new()),
        Some(gate @ State::Driving) => (gate.as_str(), Style::new().fg(Color::Green)),
        Some(gate @ (State::Locked | State::Ready)) => (gate.as_str(), Style::new().fg(Color::Yellow)),
        Some(gate) => (gate.as_str(), Style::new().fg(Color::White).bg(Color::Red).bold()),
    };
    Span::styled(gate, style)
}

/// What the gate waits for.
fn need_span(need: Need) -> Span<'static> {
    Span::styled(need.as_str(), Style::new().fg(Color::Yellow).bold())
}

/// Who holds the emergency stop.
fn holder_span(words: String) -> Span<'static> {
    Span::styled(words, Style::new().fg(Color::White).bg(Color::Red).bold())
}

/// How fast the vehicle may be.
fn slower_span(words: String) -> Span<'static> {
    Span::styled(words, Style::new().fg(Color::Yellow).bold())
}

/// State, need and speed first; of the figures those that have room, each of them whole.
fn control_line(snapshot: &Snapshot, width: u16) -> Paragraph<'_> {
    let row = &snapshot.control;
    let mut spans = vec![gate_span(row.gate)];
    if row.gate.is_some() && row.need != Need::Nothing {
        spans.extend([Span::raw("  "), need_span(row.need)]);
    }
    if let Some(words) = row.holder_in_words() {
        spans.extend([Span::raw("  "), holder_span(words)]);
    }
    if let Some(slower) = &row.slower {
        spans.extend([Span::raw("  "), slower_span(slower.words())]);
    }
    let mut room = usize::from(width.saturating_sub(2));
    room = room.saturating_sub(spans.iter().map(Span::width).sum());
    for figure in
        control_figures(row, width >= WIDE).into_iter().map(Span::raw).filter(|figure| figure.width() > 0)
    {
        if figure.width() <= room {
            room -= figure.width();
            spans.push(figure);
        }
    }
    Paragraph::new(Line::from(spans)).block(Block::bordered().title(" control "))
}

/// The figures of the control row in their order; empty where a narrow screen has none.
fn control_figures(row: &ControlRow, is_wide: bool) -> [String; 5] {
    let (last, p50, p99) = (ms(row.last), ms(row.p50), ms(row.p99));
    let wanted = row.controls.map_or(String::new(), |c| {
        format!("   throttle {:.2}  brake {:.2}  steering {:+.2}", c.throttle(), c.brake(), c.steering())
    });
    let only_wide = |text: String| if is_wide { text } else { String::new() };
    [
        format!("   age {last}"),
        only_wide(format!("  p50 {p50}")),
        format!("  p99 {p99}"),
        format!("   safe stops {}", row.safe_stops),
        only_wide(wanted),
    ]
}

fn footer(snapshot: &Snapshot) -> Line<'_> {
    match &snapshot.notice {
        Some(notice) => notice_line(notice),
        None => {
            let keys = if snapshot.keys_drive { HELP } else { QUIT_HELP };
            Line::from(keys).style(Style::new().add_modifier(Modifier::DIM))
        }
    }
}

fn notice_line(notice: &str) -> Line<'static> {
    Line::from(printable(notice, 300)).style(Style::new().fg(Color::Yellow).bold())
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::{PathRow, example};
    use super::*;
    use proptest::prelude::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Buffer;

    fn screen(width: u16, height: u16, snapshot: &Snapshot) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, snapshot)).unwrap();
        terminal.backend().buffer().clone()
    }

    fn rows(buffer: &Buffer) -> Vec<String> {
        let width = usize::from(buffer.area.width);
        let symbols: Vec<_> = buffer.content.iter().map(|cell| cell.symbol()).collect();
        symbols.chunks(width).map(|row| row.concat().trim_end().to_owned()).collect()
    }

    fn row_with<'a>(rows: &'a [String], word: &str) -> &'a str {
        rows.iter().find(|row| row.contains(word)).unwrap_or_else(|| panic!("no {word:?} in {rows:#?}"))
    }

    /// DRV-141.
    #[test]
    fn the_screen_names_each_of_several_ways() {
        let mut snapshot = example();
        snapshot.link.paths.push(PathRow { number: 2, rtt: None });
        let rows = rows(&screen(120, 30, &snapshot));
        assert!(row_with(&rows, "link").contains(" link paths 1 38 ms, 2 SILENT "));
    }

    fn words(row: &str) -> String {
        row.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_screen_shows_every_value_of_the_snapshot() {
        let shown = |snapshot: &Snapshot| rows(&screen(120, 30, snapshot));
        let rows = shown(&example());
        assert!(rows[0].contains("lte-drive") && rows[0].contains("1:15 of 2:00"), "{}", rows[0]);
        let front = words(row_with(&rows, "374.0 kB")).replace('│', "");
        assert_eq!(front, "camera/front 45.0 ms 44.0 ms 212.0 ms 10.0 Hz 374.0 kB 85 1188 3 3 4 2");
        assert!(row_with(&rows, "granted").contains("30.10 Mbit/s of 40.00 Mbit/s granted"));
        let link = words(row_with(&rows, "network carries")).replace('│', "");
        assert_eq!(
            link,
            "network carries about 48.50 Mbit/s rtt 38.0 ms loss 2.5 % parity 8.2 % repair 1.5 %"
        );
        let control = row_with(&rows, "safe stops");
        assert!(
            control.contains(
                "driving  at most 38.5 km/h (260 ms)   age 19.0 ms  p50 21.0 ms  p99 60.0 ms   safe stops 2"
            ),
            "{control}"
        );
        assert!(!control.contains("throttle"), "{control}: there is no room for it whole");
        let mut free = example();
        free.control.slower = None;
        let free = shown(&free);
        let control = row_with(&free, "safe stops");
        assert!(control.contains("throttle 0.50  brake 0.00  steering -0.25"), "{control}");
        assert!(row_with(&rows, "quit").contains("emergency stop"));
    }

    #[test]
    fn a_narrow_screen_has_fewer_columns_and_each_of_them_whole() {
        let rows = rows(&screen(60, 24, &example()));
        let titles = words(row_with(&rows, "camera ")).replace('│', "");
        assert_eq!(titles, "camera age p99 rate lost late");
        let front = words(row_with(&rows, "45.0 ms")).replace('│', "");
        assert_eq!(front, "camera/front 45.0 ms 212.0 ms 10.0 Hz 3 3");
        assert!(row_with(&rows, "rtt").contains("repair 1.5 %"));
        assert!(row_with(&rows, "driving").contains("at most 38.5 km/h (260 ms)   age 19.0 ms"));
        assert!(row_with(&rows, "ages of").contains("camera/front"), "a curve where there are rows for it");
    }

    #[test]
    fn a_tiny_screen_says_first_whether_the_vehicle_obeys_and_how_old_the_pictures_are() {
        let tiny = rows(&screen(24, 4, &example()));
        assert_eq!(tiny, ["driving 19.0 ms", "at most 38.5 km/h", "front 45.0 ms", "rear 620.0 ms"]);
        let notice = Snapshot { notice: Some("the disk is full".into()), ..example() };
        assert_eq!(
            rows(&screen(24, 4, &notice))[..3],
            ["driving 19.0 ms", "at most 38.5 km/h", "the disk is full"]
        );
    }

    #[test]
    fn an_end_that_knows_no_ages_shows_no_columns_and_curves_of_them() {
        let mut snapshot = example();
        for row in &mut snapshot.cameras {
            *row = CameraRow { age: None, p50: None, p99: None, ages: Vec::new(), ..row.clone() };
            row.ledger.delivered = 7;
        }
        let shown = rows(&screen(120, 30, &snapshot)).join("\n");
        assert!(!shown.contains("p50  ") && !shown.contains("ages of"), "{shown}");
        assert!(shown.contains("quality") && shown.contains("arrived"), "{shown}");
    }

    #[test]
    fn the_keys_that_are_told_are_those_that_work() {
        let told = |keys_drive| rows(&screen(120, 30, &Snapshot { keys_drive, ..example() })).join("\n");
        assert!(told(true).contains("emergency stop") && !told(false).contains("emergency stop"));
        assert!(told(false).contains("q quit"));
    }

    #[test]
    fn a_picture_older_than_its_lifespan_is_red() {
        let buffer = screen(120, 30, &example());
        let colour_of = |word: &str| {
            let rows = rows(&buffer);
            let y = rows.iter().position(|row| row.contains(word)).unwrap();
            let x = rows[y].split(word).next().unwrap().chars().count();
            buffer[(x as u16, y as u16)].fg
        };
        assert_eq!(colour_of("620.0 ms"), Color::Red);
        assert_eq!(colour_of("45.0 ms"), Color::Green);
    }

    #[test]
    fn a_stop_and_a_notice_stand_out() {
        let mut snapshot = example();
        snapshot.control.gate = Some(State::Stopping);
        snapshot.control.need = Need::Neutral;
        snapshot.notice = Some("the disk is full; saving ended".into());
        let buffer = screen(120, 30, &snapshot);
        let rows = rows(&buffer);
        assert!(row_with(&rows, "STOPPING  waits for throttle 0 for 0.5 s").contains("age"));
        assert!(row_with(&rows, "the disk is full").contains("saving ended"));
        assert!(buffer.content.iter().any(|cell| cell.symbol() == "S" && cell.bg == Color::Red));
    }

    #[test]
    fn who_holds_the_stop_is_named_on_large_screens_and_small_ones() {
        let mut snapshot = example();
        snapshot.control.gate = Some(State::Emergency);
        snapshot.control.need = Need::Reset;
        snapshot.control.held_by = Some("screen".into());
        let large = rows(&screen(120, 30, &snapshot));
        let control = row_with(&large, "EMERGENCY STOP");
        assert!(control.contains("release of the emergency stop  screen holds the stop"), "{control}");
        let small = rows(&screen(40, 4, &snapshot));
        assert_eq!(small[1..3], ["screen holds the stop", "waits for the release of the emergency s"]);
    }

    #[test]
    fn the_curve_is_drawn_of_the_latest_ages() {
        let mut snapshot = example();
        snapshot.cameras.truncate(1);
        // 200 old ages of 1 s, then the 98 that have room, all of 10 ms.
        let mut ages = vec![Duration::from_secs(1); 200];
        ages.extend([Duration::from_millis(10); 98]);
        snapshot.cameras[0].ages = ages;
        let rows = rows(&screen(100, 30, &snapshot));
        assert!(row_with(&rows, "ages of the last").contains("10.0 ms"), "{rows:#?}");
    }

    #[test]
    fn values_that_are_no_numbers_are_shown_and_not_fatal() {
        let mut snapshot = example();
        snapshot.link.loss_percent = f64::NAN;
        snapshot.link.granted_bps = 0;
        snapshot.cameras[0].rate_hz = f64::INFINITY;
        snapshot.cameras[0].ages = vec![Duration::MAX; 300];
        assert!(row_with(&rows(&screen(120, 30, &snapshot)), "loss").contains("NaN"));
        // More sent than granted: the grant just fell.
        snapshot.link.granted_bps = 1;
        screen(120, 30, &snapshot);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_screen_of_any_size_with_any_number_of_cameras_can_be_drawn(
            width in 0u16..150, height in 0u16..50, cameras in 0usize..12,
        ) {
            let mut snapshot = example();
            snapshot.cameras = vec![snapshot.cameras[0].clone(); cameras];
            screen(width, height, &snapshot);
        }
    }
}
