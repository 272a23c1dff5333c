//! What a model check (`tests/loom.rs`) may have otherwise than a device has it.

/// See [`crate::ring`].
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Times that a reader starts anew when the publisher overtakes it, before it takes what is there.
    pub patience: u32,
    /// Puts a fault back that many rings have had: `head` and `tail` are compared for equality. The check has to find it.
    pub compares_for_equality: bool,
}

impl Choice {
    /// What every device has.
    pub const DEVICE: Choice = Choice { patience: 4, compares_for_equality: false };
}

#[cfg(not(loom))]
pub(crate) const fn chosen() -> Choice {
    Choice::DEVICE
}

#[cfg(loom)]
mod model {
    extern crate std;

    use core::cell::Cell;

    use super::Choice;

    std::thread_local! {
        /// All threads of a model are one of the system's.
        static CHOSEN: Cell<Choice> = const { Cell::new(Choice::DEVICE) };
    }

    pub(crate) fn chosen() -> Choice {
        CHOSEN.get()
    }

    impl Choice {
        /// For all models of this thread.
        pub fn choose(self) {
            CHOSEN.set(self);
        }
    }
}

#[cfg(loom)]
pub(crate) use model::chosen;
