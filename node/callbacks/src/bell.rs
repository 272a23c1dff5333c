//! The bell that a queue's listener sleeps at: at a word, or at one that other programs can ring once one of them has to (NODE-85).

use alloc::boxed::Box;
use alloc::string::String;

use tokkyu_contract::MonoTime;
use tokkyu_topic::{Bell, Doorbell, Near};

use crate::port::{Receipt, SharedBell, port};
use crate::sync::Once;

/// For one thread at a time that waits for bells alone.
///
/// On a cache line of its own (NODE-23): all publishers write it, and its listener writes what lies beside it.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct QueueBell {
    own: Bell,
    /// Once it is there it is what the listener sleeps at, and all ring both.
    shared: Once<Box<dyn SharedBell>>,
}

impl QueueBell {
    /// What other programs ring it by.
    pub(crate) fn name(&self) -> Result<&str, String> {
        self.shared().map(SharedBell::name)
    }

    /// Where a link of a reliable subscription says what it has taken.
    pub(crate) fn receipt(&self) -> Result<Box<dyn Receipt>, String> {
        self.shared()?.receipt()
    }

    fn shared(&self) -> Result<&dyn SharedBell, String> {
        if let Some(shared) = self.shared.get() {
            return Ok(&**shared);
        }
        let shared = &**self.shared.get_or_set(port().shared_bell()?);
        // In this order. A listener that sleeps at its own bell goes over to the shared one; and who has rung before this was there is heard by one that
        // has gone over already.
        self.ring_own(0);
        shared.ring(0);
        Ok(shared)
    }

    /// The sources that rang since the last answer, a bit each.
    pub(crate) fn answer(&self) -> u32 {
        self.own.answer() | self.shared.get().map_or(0, |shared| shared.answer())
    }

    /// Sleeps until somebody rings, or until that time. It may wake for nothing.
    pub(crate) fn sleep(&self, until: Option<MonoTime>) {
        match self.shared.get() {
            Some(shared) => shared.sleep(until),
            None if self.own.rest() => port().wait(self.own.word(), Bell::RESTING, until),
            None => {}
        }
    }

    fn ring_own(&self, source: u32) {
        if self.own.ring_at(source) {
            port().wake(self.own.word(), 1);
        }
    }
}

impl Doorbell for QueueBell {
    fn ring(&self, source: u32) {
        self.ring_own(source);
        self.shared.get().into_iter().for_each(|shared| shared.ring(source));
    }

    fn add_to(&self, near: &mut Near) {
        self.own.add_to(near);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;

    /// Tells of each source that rang, until 7 has.
    fn listen(bell: &QueueBell, told: &Sender<u32>) {
        loop {
            let rang = bell.answer();
            for source in (0..31).filter(|source| rang & 1 << source != 0) {
                // Who waited for it may have given up.
                let _ = told.send(source);
            }
            if rang & 1 << 7 != 0 {
                return;
            }
            bell.sleep(None);
        }
    }

    /// Lost, it would be waited for without end. No promise of a time.
    fn wait_for(source: u32, hear: &Receiver<u32>) {
        while hear.recv_timeout(Duration::from_secs(20)).expect("somebody rang") != source {}
    }

    /// NODE-85: while it becomes one that others know, nobody who rang is missed, and a listener that slept at its own is not left there.
    #[test]
    fn who_rings_while_it_becomes_shared_is_heard() {
        for round in 0..200 {
            let bell = Arc::new(QueueBell::default());
            let (told, hear) = channel();
            let (listening, ringing) = (bell.clone(), bell.clone());
            let listener = std::thread::spawn(move || listen(&listening, &told));
            let ringer = std::thread::spawn(move || ringing.ring(3));
            if round % 2 == 0 {
                std::thread::yield_now();
            }
            let name = bell.name().expect("memory").to_owned();
            wait_for(3, &hear);
            tokkyu_process::RemoteBell::open(&name).expect("it is there").ring(7);
            wait_for(7, &hear);
            ringer.join().unwrap();
            listener.join().unwrap();
        }
    }
}
