//! A camera that is opened again when it vanishes.
//!
//! Runs in the camera's thread; never waits itself: between attempts [`Camera::next`] says [`CameraError::Down`] at
//! once, and the caller comes back at its next due time. Opening costs what the source's own opening costs.
//! Invariants: sequence numbers never go back, however often the source is opened again; the pause between two
//! attempts doubles from [`FIRST_PAUSE`] to [`LONGEST_PAUSE`] and starts anew after the first picture.
//!
//! ```text
//!            next() fails                     pause over, open() works
//!   Live ───────────────────▶ Down(retry_at) ───────────────────────────▶ Live
//!                               ▲       │ pause over, open() fails
//!                               └───────┘ pause doubles
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::{Camera, CameraError, Frame};

/// Pause before the first attempt.
pub const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause between two attempts.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// Whether the source is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The source is open.
    Live,
    /// The source is closed.
    Down {
        /// What closed it, or kept it from opening.
        why: String,
        /// When it is opened again.
        retry_at: MonoTime,
    },
}

/// Opens a camera again when it vanishes; see the module.
pub struct Retrying<Open> {
    open: Open,
    source: Option<Box<dyn Camera>>,
    state: State,
    pause: Duration,
    /// Added to the numbers of the source now open, so that they follow those of the one before.
    sequence_base: u64,
    next_sequence: u64,
}

impl<Open> Retrying<Open>
where
    Open: FnMut() -> Result<Box<dyn Camera>, CameraError> + Send,
{
    /// Opens the source.
    ///
    /// # Errors
    /// What `open` says. A source that is not there when the program starts is most likely a mistake in a name, so
    /// it is told at once and not tried again.
    pub fn new(mut open: Open) -> Result<Self, CameraError> {
        let source = Some(open()?);
        let (state, pause) = (State::Live, FIRST_PAUSE);
        Ok(Retrying { open, source, state, pause, sequence_base: 0, next_sequence: 0 })
    }

    /// Whether the source is there.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn on_picture(&mut self, mut frame: Frame) -> Frame {
        self.pause = FIRST_PAUSE;
        frame.sequence += self.sequence_base;
        self.next_sequence = frame.sequence + 1;
        frame
    }

    fn on_failure(&mut self, due: MonoTime, error: &CameraError) -> CameraError {
        self.source = None;
        self.sequence_base = self.next_sequence;
        let (why, retry_in) = (error.to_string(), self.pause);
        self.state = State::Down { why: why.clone(), retry_at: due + retry_in };
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        CameraError::Down { why, retry_in }
    }

    fn reopen(&mut self, due: MonoTime) -> Result<(), CameraError> {
        if let State::Down { why, retry_at } = &self.state
            && due < *retry_at
        {
            return Err(CameraError::Down { why: why.clone(), retry_in: retry_at.since(due) });
        }
        match (self.open)() {
            Ok(source) => {
                self.source = Some(source);
                self.state = State::Live;
                Ok(())
            }
            Err(error) => Err(self.on_failure(due, &error)),
        }
    }
}

impl<Open> Camera for Retrying<Open>
where
    Open: FnMut() -> Result<Box<dyn Camera>, CameraError> + Send,
{
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        if self.source.is_none() {
            self.reopen(due)?;
        }
        match self.source.as_mut().map_or(Err(CameraError::NotYet), |source| source.next(due)) {
            Ok(frame) => Ok(self.on_picture(frame)),
            Err(passing) if passing.is_passing() => Err(passing),
            Err(end) => Err(self.on_failure(due, &end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Dummy;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Gives `left` pictures, then vanishes.
    struct Mortal {
        inner: Dummy,
        left: u32,
    }

    impl Camera for Mortal {
        fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
            match self.left.checked_sub(1) {
                Some(left) => self.left = left,
                None => return Err(vanished()),
            }
            self.inner.next(due)
        }
    }

    fn vanished() -> CameraError {
        CameraError::Vanished { input: "/dev/video7".into(), said: "No such device".into() }
    }

    fn mortal(left: u32) -> Result<Box<dyn Camera>, CameraError> {
        Ok(Box::new(Mortal { inner: Dummy::new(100)?, left }))
    }

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    #[test]
    fn a_camera_that_vanished_comes_back_and_its_numbers_go_on() {
        let mut camera = Retrying::new(|| mortal(2)).unwrap();
        assert_eq!(camera.next(at(0)).unwrap().sequence, 0);
        assert_eq!(camera.next(at(100)).unwrap().sequence, 1);
        let down = camera.next(at(200)).unwrap_err();
        assert_eq!(
            down.to_string(),
            "/dev/video7: the camera vanished: No such device; next attempt in 0.5 s"
        );
        assert!(matches!(camera.state(), State::Down { retry_at, .. } if *retry_at == at(700)));
        assert!(matches!(camera.next(at(699)), Err(CameraError::Down { .. })));
        assert_eq!(camera.next(at(700)).unwrap().sequence, 2);
        assert_eq!(camera.state(), &State::Live);
    }

    #[test]
    fn pauses_double_up_to_the_longest_and_start_anew_after_a_picture() {
        let opened = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&opened);
        // The first and the eighth opening give one picture; those between open and give nothing.
        let open = move || mortal(u32::from(count.fetch_add(1, Ordering::Relaxed).is_multiple_of(7)));
        let mut camera = Retrying::new(open).unwrap();
        let (mut due, mut pauses) = (at(0), Vec::new());
        while opened.load(Ordering::Relaxed) < 9 {
            match camera.next(due) {
                Ok(_) => pauses.push(0),
                Err(CameraError::Down { retry_in, .. }) => {
                    pauses.push(retry_in.as_millis());
                    due += retry_in;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(pauses, [0, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 0, 500, 1_000]);
    }

    #[test]
    fn a_camera_that_was_never_there_is_told_at_once() {
        assert!(matches!(Retrying::new(|| Err(vanished())), Err(CameraError::Vanished { .. })));
    }

    #[test]
    fn a_picture_that_is_merely_late_does_not_close_the_camera() {
        struct Late;
        impl Camera for Late {
            fn next(&mut self, _: MonoTime) -> Result<Frame, CameraError> {
                Err(CameraError::NotYet)
            }
        }
        let mut camera = Retrying::new(|| Ok(Box::new(Late) as Box<dyn Camera>)).unwrap();
        assert!(matches!(camera.next(at(0)), Err(CameraError::NotYet)));
        assert_eq!(camera.state(), &State::Live);
    }
}
