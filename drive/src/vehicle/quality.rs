//! The JPEG quality a camera used over a run.
//!
//! Pure; runs in the main thread, constant time for each picture. Invariant: at most [`MOST_SPANS`] spans are kept; a run
//! that is longer has longer spans.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokkyu_contract::MonoTime;

/// Spans kept at most.
const MOST_SPANS: usize = 60;
/// Length of a span at first.
const FIRST_SPAN: Duration = Duration::from_secs(1);

/// What a camera's quality was, 1 to 100.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityFigures {
    /// The flow's name.
    pub stream: String,
    /// Of the first picture.
    pub first: u8,
    /// The lowest.
    pub lowest: u8,
    /// The highest.
    pub highest: u8,
    /// Of the last picture.
    pub last: u8,
    /// Length of a span in seconds.
    pub span_s: u64,
    /// Mean of each span that had a picture, from the first picture on.
    pub means: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    sum: u64,
    pictures: u64,
}

/// Gathers the qualities of one camera's pictures.
#[derive(Clone, Debug)]
pub(super) struct QualityLog {
    first: Option<(MonoTime, u8)>,
    lowest: u8,
    highest: u8,
    last: u8,
    span: Duration,
    spans: Vec<Span>,
}

impl Default for QualityLog {
    fn default() -> QualityLog {
        QualityLog { first: None, lowest: u8::MAX, highest: 0, last: 0, span: FIRST_SPAN, spans: Vec::new() }
    }
}

impl QualityLog {
    /// A picture captured at `capture` was compressed at `quality`.
    pub(super) fn on_picture(&mut self, capture: MonoTime, quality: u8) {
        let (begin, _) = *self.first.get_or_insert((capture, quality));
        (self.lowest, self.highest) = (self.lowest.min(quality), self.highest.max(quality));
        self.last = quality;
        let place = self.make_room(capture.since(begin));
        let span = &mut self.spans[place];
        *span = Span { sum: span.sum + u64::from(quality), pictures: span.pictures + 1 };
    }

    /// Of the last picture; `None` before the first.
    pub(super) fn last(&self) -> Option<u8> {
        self.first.map(|_| self.last)
    }

    /// Place of the span at `elapsed`; spans are put together in pairs until there is one.
    fn make_room(&mut self, elapsed: Duration) -> usize {
        loop {
            let place = usize::try_from(elapsed.as_nanos() / self.span.as_nanos()).unwrap_or(usize::MAX);
            if place < MOST_SPANS {
                self.spans.resize(self.spans.len().max(place + 1), Span::default());
                return place;
            }
            self.span *= 2;
            let both = |pair: &[Span]| Span {
                sum: pair.iter().map(|span| span.sum).sum(),
                pictures: pair.iter().map(|span| span.pictures).sum(),
            };
            self.spans = self.spans.chunks(2).map(both).collect();
        }
    }

    /// The figures of `stream`; `None` where nothing was compressed.
    pub(super) fn figures(&self, stream: &str) -> Option<QualityFigures> {
        let (_, first) = self.first?;
        let mean = |span: &Span| Some(span.sum.checked_div(span.pictures)? as u8);
        Some(QualityFigures {
            stream: stream.to_owned(),
            first,
            lowest: self.lowest,
            highest: self.highest,
            last: self.last,
            span_s: self.span.as_secs(),
            means: self.spans.iter().filter_map(mean).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(5_000 + ms)
    }

    #[test]
    fn each_second_has_its_mean_and_a_silent_one_none() {
        let mut log = QualityLog::default();
        assert_eq!((log.last(), log.figures("camera/front")), (None, None));
        for (ms, quality) in [(0, 75), (500, 25), (1_000, 40), (3_999, 90)] {
            log.on_picture(at(ms), quality);
        }
        let figures = log.figures("camera/front").unwrap();
        assert_eq!((figures.first, figures.lowest, figures.highest, figures.last), (75, 25, 90, 90));
        assert_eq!((figures.span_s, figures.means), (1, vec![50, 40, 90]));
    }

    #[test]
    fn a_long_run_has_longer_spans_and_no_more_of_them() {
        let mut log = QualityLog::default();
        for second in 0..10_000 {
            log.on_picture(at(second * 1_000), if second < 5_000 { 20 } else { 80 });
        }
        let figures = log.figures("camera/front").unwrap();
        assert_eq!((figures.span_s, figures.means.len()), (256, 40));
        assert_eq!((figures.means[0], figures.means[39]), (20, 80));
    }
}
