//! Shared memory as nodes ask for it.

use std::sync::Arc;

use tokkyu_callbacks::port::{
    Borrower, Lend, LendError, LendLimits, LendLoan, Lender, OpenError, Receipt, RemoteBell, SharedBell,
};
use tokkyu_contract::MonoTime;
use tokkyu_graph::Lent;
use tokkyu_process::{MAX_BYTES, ProcessError, Waiting};
use tokkyu_topic::Doorbell;

use super::Posix;

fn text(error: ProcessError) -> String {
    error.to_string()
}

/// As the crate between processes has them: messages as long as it allows.
pub(super) fn limits(limits: LendLimits) -> tokkyu_process::Limits {
    let LendLimits { subscribers, depth, held, own, latch, slot_bytes } = limits;
    let slot_bytes = slot_bytes.min(MAX_BYTES);
    tokkyu_process::Limits { subscribers, depth, held, own, latch, slot_bytes, most_bytes: MAX_BYTES }
}

impl Lend for Posix {
    fn device(&self) -> Result<Option<String>, String> {
        tokkyu_process::device().map(Some).map_err(text)
    }

    fn lender(&self, wanted: LendLimits) -> Result<Option<Arc<dyn Lender>>, String> {
        Ok(Some(Arc::new(Publishing(tokkyu_process::Lender::new(limits(wanted)).map_err(text)?))))
    }

    fn borrow(&self, name: &str, depth: u32) -> Result<Box<dyn Borrower>, OpenError> {
        match tokkyu_process::Borrower::open(name, depth) {
            Ok(borrower) => Ok(Box::new(Reading { depth, held: None, borrower })),
            Err(ProcessError::Limit { most, .. }) => Err(OpenError::Deepest(most as u32)),
            Err(error) => Err(OpenError::Other(text(error))),
        }
    }

    fn shared_bell(&self) -> Result<Box<dyn SharedBell>, String> {
        Ok(Box::new(Hearing(tokkyu_process::SharedBell::create().map_err(text)?)))
    }

    fn remote_bell(&self, name: &str) -> Result<Box<dyn RemoteBell>, String> {
        let bell = tokkyu_process::RemoteBell::open(name).map_err(text)?;
        Ok(Box::new(Ringing { bell, waiting: None }))
    }
}

struct Publishing(tokkyu_process::Lender);

impl Lender for Publishing {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn loan(&self, len: usize) -> Result<Box<dyn LendLoan>, LendError> {
        match self.0.loan(len) {
            Ok(loan) => Ok(Box::new(Filling(loan))),
            Err(ProcessError::Own(most)) => Err(LendError::Own(most)),
            Err(_) => Err(LendError::Memory),
        }
    }

    fn greet(&self) -> Result<(), String> {
        self.0.greet().map_err(text)
    }

    fn reclaim(&self) {
        // What cannot be taken back now is when the next one joins.
        let _ = self.0.reclaim();
    }
}

struct Filling(tokkyu_process::Loan);

impl LendLoan for Filling {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    fn send(self: Box<Self>, sequence: u32, wake: &dyn Fn()) -> Option<Lent> {
        self.0.send_then(sequence, wake).ok().map(Into::into)
    }
}

struct Reading {
    depth: u32,
    // Before its topic, which it lies in.
    held: Option<tokkyu_process::Borrowed>,
    borrower: tokkyu_process::Borrower,
}

impl Borrower for Reading {
    fn depth(&self) -> u32 {
        self.depth
    }

    fn take(&mut self) -> Result<Option<u32>, String> {
        self.held = None;
        self.held = self.borrower.take().map_err(text)?;
        Ok(self.held.as_ref().map(tokkyu_process::Borrowed::sequence))
    }

    fn bytes(&self) -> &[u8] {
        self.held.as_deref().unwrap_or_default()
    }

    fn give_back(&mut self) {
        self.held = None;
    }

    fn has_waiting(&self) -> bool {
        self.borrower.has_waiting()
    }
}

struct Hearing(tokkyu_process::SharedBell);

impl Doorbell for Hearing {
    fn ring(&self, source: u32) {
        self.0.ring(source);
    }
}

impl SharedBell for Hearing {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn answer(&self) -> u32 {
        self.0.answer()
    }

    fn sleep(&self, until: Option<MonoTime>) {
        self.0.sleep(until);
    }

    fn receipt(&self) -> Result<Box<dyn Receipt>, String> {
        Ok(Box::new(Saying(self.0.receipt().map_err(text)?)))
    }
}

struct Saying(tokkyu_process::Receipt);

impl Receipt for Saying {
    fn number(&self) -> u32 {
        self.0.number()
    }

    fn say(&self, sequence: u32) {
        self.0.say(sequence);
    }
}

struct Ringing {
    bell: tokkyu_process::RemoteBell,
    /// Of a reliable subscription.
    waiting: Option<Waiting>,
}

impl RemoteBell for Ringing {
    fn ring(&self, source: u32) {
        self.bell.ring(source);
    }

    fn expect_receipts(&mut self, word: u32, depth: u32, next: u32) -> Result<(), String> {
        self.waiting = Some(Waiting::new(&self.bell, word, depth, next).map_err(text)?);
        Ok(())
    }

    fn is_full(&mut self, next: u32) -> bool {
        self.waiting.as_mut().is_some_and(|waiting| waiting.is_full(&self.bell, next))
    }
}
