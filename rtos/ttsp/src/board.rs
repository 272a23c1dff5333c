//! What scenarios need of a board, its programs have.

use tokkyu_rtos_aarch64::{Board, Programs};

use crate::stage::Bench;

impl<P: Programs + Bench> Bench for Board<P> {
    fn wait(&self) {
        self.programs().wait();
    }

    fn settle(&self) {
        self.programs().settle();
    }

    fn advance(&self, us: u64) {
        self.programs().advance(us);
    }

    fn raise(&self, number: u32) {
        Bench::raise(self.programs(), number);
    }

    fn is_enabled(&self, number: u32) -> bool {
        Bench::is_enabled(self.programs(), number)
    }
}
