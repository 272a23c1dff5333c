//! The moving test picture: a gradient, a bar that moves, and the camera's name, frame number and time of day in
//! large letters.
//!
//! Runs in the camera's thread and never waits; each frame costs one copy of the background plus the parts that
//! move. Invariant: every frame has exactly width × height bytes. The picture is a function of what was asked (frame
//! number and due time), no clock is read, so two runs with the same times give the same pictures.

use std::time::Duration;

use bytes::Bytes;
use tokkyu_contract::{MonoTime, WallTime};

use super::glyphs::{Canvas, GLYPH_PIXELS};
use super::{Camera, CameraError, Frame, checked_size};
use crate::picture::Encoding;

/// Width of the picture when none is asked: with [`DEFAULT_HEIGHT`] a picture has 374 000 bytes, the size of the
/// camera flow this project measures with.
pub const DEFAULT_WIDTH: u16 = 680;
/// Height of the picture when none is asked.
pub const DEFAULT_HEIGHT: u16 = 550;

/// Letters of the widest moving line, `hh:mm:ss.mmm`; they set the size of all letters.
const LINE_LETTERS: usize = 12;
/// Frames the bar takes for one way across the picture.
const BAR_FRAMES: u64 = 60;

/// A test picture; see the module.
pub struct TestPicture {
    background: Vec<u8>,
    width: u16,
    height: u16,
    sequence: u64,
    anchor: (MonoTime, WallTime),
}

impl TestPicture {
    /// A mono8 test picture of `width` × `height` pixels that shows `name`. `anchor` is one moment on the machine's
    /// monotonic clock and in UTC; from it the due times become the time of day that is drawn.
    ///
    /// # Errors
    /// [`CameraError::Setting`] for a size of zero, or too long for one sample.
    pub fn new(
        name: &str,
        width: u16,
        height: u16,
        anchor: (MonoTime, WallTime),
    ) -> Result<TestPicture, CameraError> {
        checked_size(width, height, 1)?;
        let mut picture = TestPicture { background: Vec::new(), width, height, sequence: 0, anchor };
        picture.background = gradient(usize::from(width), usize::from(height));
        let (scale, margin) = (picture.scale(), picture.margin());
        let mut canvas = Canvas { pixels: &mut picture.background, width: usize::from(width) };
        canvas.write(name, margin, margin, scale);
        Ok(picture)
    }

    /// Enlargement of the letters: the widest line fills the picture but for its margins.
    fn scale(&self) -> usize {
        (usize::from(self.width) / (GLYPH_PIXELS * (LINE_LETTERS + 1))).max(1)
    }

    fn margin(&self) -> usize {
        GLYPH_PIXELS * self.scale() / 2
    }

    fn draw_moving(&self, pixels: &mut [u8], due: MonoTime) {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let mut canvas = Canvas { pixels, width };
        let bar = (width / 20).max(1);
        canvas.fill(bar_position(self.sequence, width - bar), height / 2, bar, height / 2, 255);
        let (scale, margin) = (self.scale(), self.margin());
        let line = GLYPH_PIXELS * scale + margin;
        canvas.write(&format!("#{:06}", self.sequence), margin, margin + line, scale);
        let (mono, wall) = self.anchor;
        let shown = wall.offset(due.signed_nanos_since(mono));
        canvas.write(&time_of_day(shown), margin, margin + 2 * line, scale);
    }
}

impl Camera for TestPicture {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        let mut pixels = self.background.clone();
        self.draw_moving(&mut pixels, due);
        let sequence = self.sequence;
        self.sequence += 1;
        let encoding = Encoding::Mono8 { width: self.width, height: self.height };
        Ok(Frame { data: Bytes::from(pixels), encoding, sequence, source_time: None, given: None })
    }
}

/// A diagonal gradient from dark to light grey; its bytes differ from row to row, so a torn picture shows.
fn gradient(width: usize, height: usize) -> Vec<u8> {
    let span = (width + height).max(1);
    let grey = |x: usize, y: usize| 32 + ((x + y) * 160 / span) as u8;
    (0..height).flat_map(|y| (0..width).map(move |x| grey(x, y))).collect()
}

/// Left edge of the bar: there and back again.
fn bar_position(sequence: u64, travel: usize) -> usize {
    let phase = sequence % (2 * BAR_FRAMES);
    let step = phase.min(2 * BAR_FRAMES - phase);
    (travel as u64 * step / BAR_FRAMES) as usize
}

fn time_of_day(wall: WallTime) -> String {
    let since_epoch = Duration::from_nanos(wall.as_nanos());
    let seconds = since_epoch.as_secs() % 86_400;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}.{:03}", seconds % 60, since_epoch.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOON: WallTime = WallTime::from_millis(1_700_000_000_000 / 86_400_000 * 86_400_000 + 43_200_000);

    fn picture(name: &str) -> TestPicture {
        TestPicture::new(name, DEFAULT_WIDTH, DEFAULT_HEIGHT, (MonoTime::from_millis(5_000), NOON)).unwrap()
    }

    #[test]
    fn the_default_picture_has_exactly_374_000_bytes() {
        let frame = picture("front").next(MonoTime::from_millis(5_000)).unwrap();
        assert_eq!(frame.data.len(), 374_000);
        assert_eq!(frame.encoding.fixed_bytes(), Some(374_000));
    }

    #[test]
    fn the_bar_the_number_and_the_time_move_and_the_rest_stands() {
        let mut camera = picture("front");
        let first = camera.next(MonoTime::from_millis(5_000)).unwrap();
        let second = camera.next(MonoTime::from_millis(5_100)).unwrap();
        assert_eq!((first.sequence, second.sequence), (0, 1));
        let changed = first.data.iter().zip(&second.data).filter(|(a, b)| a != b).count();
        assert!(changed > 1_000, "only {changed} pixels moved");
        let name_rows = usize::from(DEFAULT_WIDTH) * 60;
        assert_eq!(first.data[..name_rows], second.data[..name_rows]);
    }

    #[test]
    fn cameras_are_told_apart_by_their_name_and_runs_with_the_same_times_are_the_same() {
        let due = MonoTime::from_millis(5_000);
        assert_ne!(picture("front").next(due).unwrap(), picture("rear").next(due).unwrap());
        assert_eq!(picture("front").next(due).unwrap(), picture("front").next(due).unwrap());
    }

    #[test]
    fn the_time_of_day_is_that_of_the_due_time_before_and_after_the_anchor() {
        assert_eq!(time_of_day(NOON), "12:00:00.000");
        assert_eq!(time_of_day(NOON.offset(-1_000_000)), "11:59:59.999");
        assert_eq!(time_of_day(NOON.offset(43_200_000_000_000 + 61_002_000_000)), "00:01:01.002");
    }

    #[test]
    fn the_bar_goes_from_edge_to_edge_and_back() {
        assert_eq!(bar_position(0, 600), 0);
        assert_eq!(bar_position(BAR_FRAMES, 600), 600);
        assert_eq!(bar_position(BAR_FRAMES + 1, 600), bar_position(BAR_FRAMES - 1, 600));
        assert_eq!(bar_position(2 * BAR_FRAMES, 600), 0);
    }

    #[test]
    fn a_picture_without_pixels_is_refused() {
        let anchor = (MonoTime::ZERO, NOON);
        assert!(matches!(TestPicture::new("x", 0, 5, anchor), Err(CameraError::Setting { .. })));
        assert!(matches!(TestPicture::new("x", 65_535, 65_535, anchor), Err(CameraError::Setting { .. })));
    }

    proptest! {
        #[test]
        fn any_size_and_name_gives_pictures_of_that_size(
            width in 1u16..300, height in 1u16..300, name in ".{0,40}", due_ms: u64,
        ) {
            let mut camera = TestPicture::new(&name, width, height, (MonoTime::ZERO, NOON)).unwrap();
            let frame = camera.next(MonoTime::from_millis(due_ms)).unwrap();
            prop_assert_eq!(frame.data.len(), usize::from(width) * usize::from(height));
        }
    }
}
