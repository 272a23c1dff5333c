//! Who subscribes to the command, from one look to the next. SPEC.md DRV-133.
//!
//! Pure. A number alone does not tell that one went and another came: a base that was killed counts on until its middleware
//! gives it up.

use tokkyu_bridge::motors::Subscribers;

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Readers {
    last: Option<Subscribers>,
}

impl Readers {
    /// Whether others are there than at the last look.
    pub(super) fn look(&mut self, seen: Option<Subscribers>) -> bool {
        std::mem::replace(&mut self.last, seen) != seen
    }

    /// Who was there at the last look.
    pub(super) fn last(&self) -> Option<Subscribers> {
        self.last
    }
}
