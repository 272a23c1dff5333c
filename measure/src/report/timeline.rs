//! Plot of the age of each image over the run: shows when something happened, which no distribution does.
//!
//! Bounded: of each camera at most the best and the worst image of each column are drawn, so an outlier is never
//! thinned away.

use plotters::prelude::*;

use super::axis::Axis;
use super::plot::{self, Named, PALETTE};
use crate::drive::CAMERA_PREFIX;
use crate::record::Record;
use crate::study::ReportError;
use tokkyu_contract::Outcome;

const COLUMNS: usize = 300;
const NANOS_PER_SECOND: f64 = 1e9;
const NANOS_PER_MS: f64 = 1e6;

/// A point of the plot: seconds since the first capture, age in milliseconds.
type Point = (f64, f64);

/// What is drawn of one camera.
#[derive(Clone, Debug, Default, PartialEq)]
struct Track {
    name: String,
    measured: Vec<Point>,
    warm_up: Vec<Point>,
    missed_s: Vec<f64>,
}

/// Ages of the images in `records` (warm-up as rings, missed ones as crosses at the top) over `age`, the same axis as
/// the case's other plots.
pub(super) fn timeline(name: &str, records: &[Record], age: Axis) -> Result<String, ReportError> {
    let (tracks, length_s) = tracks_of(records);
    let time = Named(Axis::linear(length_s), "time of capture, s");
    plot::svg(name, plot::WIDE, time, Named(age, "age at arrival, ms (log)"), |chart| {
        plot::mark_requirement_across(chart)?;
        let top = age.at(0.985);
        for (track, colour) in tracks.iter().zip(PALETTE.iter().cycle()) {
            let dots = thinned(&track.measured, length_s);
            chart.draw_series(dots.into_iter().map(|at| Circle::new(at, 5, colour.mix(0.75).filled())))?;
            let rings = thinned(&track.warm_up, length_s);
            chart.draw_series(rings.into_iter().map(|at| Circle::new(at, 6, colour.stroke_width(2))))?;
            let missed: Vec<Point> = track.missed_s.iter().map(|at_s| (*at_s, top)).collect();
            let crosses = thinned(&missed, length_s);
            chart.draw_series(crosses.into_iter().map(|at| Cross::new(at, 8, colour.stroke_width(3))))?;
        }
        Ok(())
    })
}

/// Tracks of all cameras by name, and the length of the run in seconds.
fn tracks_of(records: &[Record]) -> (Vec<Track>, f64) {
    let images = || records.iter().filter(|record| record.stream.starts_with(CAMERA_PREFIX));
    let start_ns = images().map(|record| record.capture.as_nanos()).min().unwrap_or(0);
    let mut tracks: Vec<Track> = Vec::new();
    let mut length_s = 0.0_f64;
    for record in images() {
        let at_s = (record.capture.as_nanos() - start_ns) as f64 / NANOS_PER_SECOND;
        length_s = length_s.max(at_s);
        track_named(&mut tracks, &record.stream).add(record, at_s);
    }
    tracks.sort_by(|a, b| a.name.cmp(&b.name));
    (tracks, length_s)
}

fn track_named<'a>(tracks: &'a mut Vec<Track>, name: &str) -> &'a mut Track {
    let at = tracks.iter().position(|track| track.name == name).unwrap_or_else(|| {
        tracks.push(Track { name: name.to_owned(), ..Track::default() });
        tracks.len() - 1
    });
    &mut tracks[at]
}

impl Track {
    fn add(&mut self, record: &Record, at_s: f64) {
        match record.latency_ns().filter(|_| record.outcome == Outcome::Delivered) {
            Some(ns) if record.warm_up => self.warm_up.push((at_s, ns as f64 / NANOS_PER_MS)),
            Some(ns) => self.measured.push((at_s, ns as f64 / NANOS_PER_MS)),
            None => self.missed_s.push(at_s),
        }
    }
}

/// The youngest and the oldest of each of [`COLUMNS`] equal spans of the run.
fn thinned(points: &[Point], length_s: f64) -> Vec<Point> {
    if points.len() <= 2 * COLUMNS {
        return points.to_vec();
    }
    let mut ends: Vec<Option<(Point, Point)>> = vec![None; COLUMNS];
    for &point in points {
        let column = ((point.0 / length_s.max(f64::MIN_POSITIVE)) * COLUMNS as f64) as usize;
        let end = &mut ends[column.min(COLUMNS - 1)];
        let (mut young, mut old) = end.unwrap_or((point, point));
        if point.1 < young.1 {
            young = point;
        }
        if point.1 > old.1 {
            old = point;
        }
        *end = Some((young, old));
    }
    ends.into_iter().flatten().flat_map(|(young, old)| [young, old]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::MonoTime;

    fn image(stream: &str, at_ms: u64, age_ms: Option<u64>) -> Record {
        Record {
            stream: stream.into(),
            sequence: 0,
            capture: MonoTime::from_millis(at_ms),
            arrival: age_ms.map(|age| MonoTime::from_millis(at_ms + age)),
            outcome: if age_ms.is_some() { Outcome::Delivered } else { Outcome::Lost },
            warm_up: false,
        }
    }

    #[test]
    fn images_go_to_their_cameras_track_and_commands_to_none() {
        let warm = Record { warm_up: true, ..image("camera/1", 1_000, Some(80)) };
        let (tracks, length_s) = tracks_of(&[
            image("camera/2", 1_500, Some(7)),
            image("drive/command", 900, Some(1)),
            image("camera/1", 3_000, None),
            warm,
        ]);
        assert_eq!(length_s, 2.0, "from the first image, not from the first command");
        assert_eq!(tracks.len(), 2);
        let first = Track {
            name: "camera/1".into(),
            measured: vec![],
            warm_up: vec![(0.0, 80.0)],
            missed_s: vec![2.0],
        };
        assert_eq!(tracks[0], first);
        assert_eq!(tracks[1].measured, [(0.5, 7.0)]);
    }

    #[test]
    fn thinning_keeps_the_one_outlier_and_bounds_the_rest() {
        let mut points: Vec<Point> = (0..20_000).map(|i| (f64::from(i) * 0.1, 10.0)).collect();
        points[7_777].1 = 4_000.0;
        let kept = thinned(&points, 2_000.0);
        assert!(kept.len() <= 2 * COLUMNS);
        assert!(kept.contains(&points[7_777]));
    }
}
