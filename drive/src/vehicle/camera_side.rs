//! What the main thread keeps of one camera: its book, what it is granted, and what is wrong with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::quality::QualityLog;
use super::status::CameraStatus;
use crate::program::figures::ms;
use crate::program::{Distance, Fit, SentBook};

/// What the main thread keeps of one camera.
pub(super) struct CameraSide {
    pub(super) book: SentBook,
    pub(super) granted_bps: Arc<AtomicU64>,
    pub(super) lifespan: Option<Duration>,
    pub(super) quality: QualityLog,
    pub(super) sample_bytes: usize,
    pub(super) trouble: Option<String>,
    pub(super) ended: bool,
    /// Whether the path carries it.
    pub(super) fit: Fit,
    pub(super) distance: Distance,
}

impl CameraSide {
    pub(super) fn status(&self) -> CameraStatus {
        let granted = self.granted_bps.load(Ordering::Relaxed);
        CameraStatus {
            flow: self.book.stream().to_owned(),
            ledger: self.book.ledger().into(),
            granted_bps: (granted > 0).then_some(granted),
            quality: self.quality.last(),
            sample_bytes: self.sample_bytes as u64,
            lifespan_ms: self.lifespan.map(ms),
            trouble: self.trouble.clone(),
        }
    }
}
