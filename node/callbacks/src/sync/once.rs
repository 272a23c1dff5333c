//! A place that is filled once.

use alloc::boxed::Box;

use once_cell::race::OnceBox;

/// Empty, then filled for good.
pub(crate) struct Once<T>(OnceBox<T>);

impl<T> Default for Once<T> {
    fn default() -> Once<T> {
        Once::new()
    }
}

impl<T> Once<T> {
    pub(crate) const fn new() -> Once<T> {
        Once(OnceBox::new())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Fills it, unless it is filled already.
    pub(crate) fn set(&self, value: T) {
        let _ = self.0.set(Box::new(value));
    }

    /// What it is filled with: `value`, unless somebody was earlier.
    pub(crate) fn get_or_set(&self, value: T) -> &T {
        self.0.get_or_init(|| Box::new(value))
    }
}
