//! Where a topic's messages go out: slots that the process's subscriptions read, and shared memory while other processes read (SPEC, section 7).

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use tokkyu_graph::{Lending, Lent, Listening, Object, Payload, Receipts};
use tokkyu_topic::{Doorbell, Limits, Near, Terms, Why};

use crate::error::PublishError;
use crate::nearby;
use crate::port::{LendError, LendLimits, LendLoan, Lender, RemoteBell, port};
use crate::queue::ASKS;
use crate::sync::{Mutex, MutexGuard};

/// Subscribers in other processes at once. Each holds one sample, that of its callback.
const BORROWERS: u32 = 16;
/// A subscriber may ask for a queue as deep as this, or as the topic's own if that is deeper.
const DEPTH: u32 = 256;
/// Samples of the publisher's process beyond those that its own subscriptions may have waiting; at most.
const OWN: u32 = 1024;
/// Bytes of a slot at least.
const SLOT_BYTES: usize = 256;

/// What a subscriber of the same program says in place of a bell.
pub(crate) const NEARBY: &str = "-";

/// A topic's way out, shared by all copies of its publisher and the network's thread.
pub(crate) struct Outlet {
    /// Held for the few steps of a loan or a publication, never while a message is filled.
    publishing: Mutex<Publishing>,
    limits: LendLimits,
    /// For who looks on (NODE-121); 0: nobody does.
    number: u32,
}

/// A message is being handed over.
struct Watched(u32);

impl Watched {
    #[inline]
    fn begin(number: u32) -> Watched {
        if number != 0 {
            port().publishes(number, false);
        }
        Watched(number)
    }
}

impl Drop for Watched {
    #[inline]
    fn drop(&mut self) {
        if self.0 != 0 {
            port().publishes(self.0, true);
        }
    }
}

struct Publishing {
    publisher: tokkyu_topic::Publisher<Payload>,
    /// Once a subscriber of another process has asked.
    lent: Option<Shared>,
    /// What a publication looks at, as found when a loan was made.
    near: Near,
    /// Where the instructions of who publishes begin.
    code: usize,
}

/// Instructions of a publication, function by function: about so many, whatever the compiler makes of them.
const LOAN_BYTES: usize = 576;
const PUBLISH_BYTES: usize = 448;
const HAND_OVER_BYTES: usize = 1280;

/// A message of so many bytes leaves what was asked for in a processor's first cache, which has 32 KiB or more.
const CACHED: usize = 16 << 10;

/// The topic in shared memory.
struct Shared {
    lender: Arc<dyn Lender>,
    bells: Vec<Bell>,
    next_bell: u32,
    sequence: u32,
    /// What is latched has to be there for who joins next.
    is_latched: bool,
}

struct Bell {
    number: u32,
    /// It knows whether the subscription has room, if that is reliable (NODE-86).
    bell: Box<dyn RemoteBell>,
    source: u32,
}

/// A slot that is filled.
pub(crate) struct Slot {
    own: tokkyu_topic::Loan<Payload>,
    /// The message lies here, while other processes read.
    shared: Option<Box<dyn LendLoan>>,
}

/// What a topic has in shared memory while other processes read it: beside its channel, for whoever asks for a queue of `depth` or less (NODE-73).
pub fn lend_limits(channel: Limits, depth: u32, slot_bytes: usize) -> LendLimits {
    LendLimits {
        subscribers: BORROWERS,
        depth: depth.max(DEPTH),
        held: 1,
        own: channel.slots.min(OWN) + channel.loans,
        latch: channel.latch,
        slot_bytes: slot_bytes.max(SLOT_BYTES),
    }
}

impl Outlet {
    /// `depth`: the queue of each link over the network.
    pub(crate) fn new(
        topic: &str,
        publisher: tokkyu_topic::Publisher<Payload>,
        depth: u32,
        slot_bytes: usize,
        code: usize,
    ) -> Arc<Outlet> {
        let limits = lend_limits(publisher.channel().limits(), depth, slot_bytes);
        let publishing = Publishing { publisher, lent: None, near: Near::default(), code };
        Arc::new(Outlet { publishing: Mutex::new(publishing), limits, number: port().watched_topic(topic) })
    }

    fn lock(&self) -> MutexGuard<'_, Publishing> {
        self.publishing.lock()
    }

    pub(crate) fn is_latched(&self) -> bool {
        self.limits.latch
    }

    /// A slot with `len` bytes to fill.
    pub(crate) fn loan(&self, len: usize) -> Result<Slot, PublishError> {
        let mut publishing = self.lock();
        publishing.ask_for_what_comes();
        let mut own = publishing.loan()?;
        let lender = publishing.active().map(|shared| shared.lender.clone());
        drop(publishing);
        let shared = lender.map(|lender| lend(&*lender, len)).transpose()?;
        if shared.is_none() {
            own.bytes_mut(len).map_err(|_| PublishError::Memory(len))?;
        }
        Ok(Slot { own, shared })
    }

    /// Publishes what a slot was filled with.
    pub(crate) fn publish(&self, slot: Slot) -> Result<u32, PublishError> {
        let _watched = Watched::begin(self.number);
        let mut publishing = self.lock();
        // Once more: a long message has driven out of the cache what was asked for before it was filled. With a short one it would be time lost.
        if ASKS && slot.len() > CACHED {
            publishing.near.ask();
        }
        publishing.publish(slot)
    }

    /// Publishes what is shared as it is.
    pub(crate) fn publish_object(&self, object: Arc<dyn Object>) -> Result<u32, PublishError> {
        let _watched = Watched::begin(self.number);
        let mut publishing = self.lock();
        let mut own = publishing.loan()?;
        own.set_object(object);
        publishing.publish(Slot { own, shared: None })
    }
}

impl Publishing {
    fn loan(&mut self) -> Result<tokkyu_topic::Loan<Payload>, PublishError> {
        self.publisher.loan().map_err(|error| PublishError::Loans(error.loans))
    }

    /// A publication comes soon: what it looks at comes while the message is filled (NODE-24).
    fn ask_for_what_comes(&mut self) {
        if !ASKS {
            return;
        }
        let Publishing { publisher, near, code, .. } = self;
        near.clear();
        near.add_bytes(core::ptr::with_exposed_provenance(*code), LOAN_BYTES);
        near.add_bytes(Publishing::publish as *const u8, PUBLISH_BYTES);
        near.add_bytes(tokkyu_topic::Publisher::<Payload>::publish as *const u8, HAND_OVER_BYTES);
        publisher.add_to(near);
        near.ask();
    }

    /// The topic in shared memory, if somebody reads it there.
    fn active(&mut self) -> Option<&mut Shared> {
        self.lent.as_mut().filter(|shared| shared.is_latched || !shared.bells.is_empty())
    }

    fn publish(&mut self, slot: Slot) -> Result<u32, PublishError> {
        let Slot { mut own, shared } = slot;
        if self.lent.is_some() {
            self.lend(&mut own, shared)?;
        }
        self.publisher.publish(own).map_err(|refused| match refused.why {
            Why::Full => PublishError::Full,
            Why::Foreign => PublishError::Foreign,
        })
    }

    /// To other processes, unless a subscription would have to refuse it: either all get it or nobody.
    ///
    /// Not in one piece with the rest: whoever publishes in the process alone would have its instructions between those that are needed.
    #[inline(never)]
    fn lend(
        &mut self,
        own: &mut tokkyu_topic::Loan<Payload>,
        loan: Option<Box<dyn LendLoan>>,
    ) -> Result<(), PublishError> {
        let is_full = self.publisher.is_full() || self.lent.as_mut().is_some_and(Shared::is_full);
        if is_full { Err(PublishError::Full) } else { self.send(own, loan) }
    }

    /// To other processes, which are woken. What does not lie in shared memory, an object or a loan from before they came, is written there.
    fn send(
        &mut self,
        own: &mut tokkyu_topic::Loan<Payload>,
        loan: Option<Box<dyn LendLoan>>,
    ) -> Result<(), PublishError> {
        match (loan, self.active()) {
            (Some(loan), Some(shared)) => own.set_lent(shared.send(loan)?),
            // The last reader has left meanwhile.
            (Some(loan), None) => fill(own, loan.bytes())?,
            (None, Some(shared)) => {
                let mut loan = lend(&*shared.lender, own.wire_len())?;
                own.write(loan.bytes_mut());
                shared.send(loan)?;
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// What was published last before other processes came, for those that come.
    fn send_latched(&mut self) -> Result<(), String> {
        let joined = self.publisher.channel().join(Terms::keep_last(1), Arc::new(Nobody), 0);
        let mut reader = joined.map_err(|error| error.to_string())?;
        let (Ok(Some(sample)), Some(shared)) = (reader.take(), &mut self.lent) else { return Ok(()) };
        let mut loan = lend(&*shared.lender, sample.wire_len()).map_err(|error| error.to_string())?;
        sample.write(loan.bytes_mut());
        shared.send(loan).map_err(|error| error.to_string())?;
        Ok(())
    }
}

impl Shared {
    /// Whether a reliable subscription has no room for the next sample.
    fn is_full(&mut self) -> bool {
        let next = self.sequence;
        self.bells.iter_mut().any(|bell| bell.bell.is_full(next))
    }

    fn send(&mut self, loan: Box<dyn LendLoan>) -> Result<Lent, PublishError> {
        let len = loan.bytes().len();
        let wake = || self.bells.iter().for_each(|bell| bell.bell.ring(bell.source));
        let lent = loan.send(self.sequence, &wake).ok_or(PublishError::Memory(len))?;
        self.sequence = self.sequence.wrapping_add(1);
        Ok(lent)
    }
}

fn lend(lender: &dyn Lender, len: usize) -> Result<Box<dyn LendLoan>, PublishError> {
    lender.loan(len).map_err(|error| match error {
        LendError::Own(most) => PublishError::Loans(most),
        LendError::Memory => PublishError::Memory(len),
    })
}

fn fill(own: &mut tokkyu_topic::Loan<Payload>, bytes: &[u8]) -> Result<(), PublishError> {
    let memory = own.bytes_mut(bytes.len()).map_err(|_| PublishError::Memory(bytes.len()))?;
    memory.copy_from_slice(bytes);
    Ok(())
}

impl Deref for Slot {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.shared {
            Some(shared) => shared.bytes(),
            None => self.own.bytes(),
        }
    }
}

impl DerefMut for Slot {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.shared {
            Some(shared) => shared.bytes_mut(),
            None => self.own.filling(),
        }
    }
}

/// Called in the network's thread. What takes long is done without the lock that publishing needs.
impl Lending for Outlet {
    fn begin(&self) -> Result<String, String> {
        if let Some(shared) = &self.lock().lent {
            return Ok(shared.lender.name().to_owned());
        }
        let Some(lender) = port().lender(self.limits)? else {
            return Ok(nearby::name(self.lock().publisher.channel()));
        };
        let name = lender.name().to_owned();
        let is_latched = self.limits.latch;
        let mut publishing = self.lock();
        publishing.lent = Some(Shared { lender, bells: Vec::new(), next_bell: 0, sequence: 0, is_latched });
        if is_latched && let Err(error) = publishing.send_latched() {
            publishing.lent = None;
            return Err(error);
        }
        Ok(name)
    }

    fn add(&self, listening: &Listening) -> Result<u32, String> {
        let Listening { bell, source, receipts } = listening;
        // It is rung by its link, like those of this node.
        if bell == NEARBY {
            return Ok(0);
        }
        let source = *source;
        if source >= tokkyu_topic::SOURCES {
            return Err(format!("a bell has {} sources, not {source}", tokkyu_topic::SOURCES));
        }
        let mut bell = port().remote_bell(bell)?;
        let mut publishing = self.lock();
        let Some(shared) = &mut publishing.lent else { return Err("the topic is not lent".to_owned()) };
        shared.lender.greet()?;
        if let Some(Receipts { word, depth }) = *receipts {
            bell.expect_receipts(word, depth, shared.sequence)?;
        }
        // What came between its opening the topic and now.
        bell.ring(source);
        let number = shared.next_bell;
        shared.next_bell = number.wrapping_add(1);
        shared.bells.push(Bell { number, bell, source });
        Ok(number)
    }

    fn remove(&self, bell: u32) {
        let mut publishing = self.lock();
        publishing.lent.iter_mut().for_each(|shared| shared.bells.retain(|other| other.number != bell));
    }

    fn reclaim(&self) {
        let lender = self.lock().lent.as_ref().map(|shared| shared.lender.clone());
        // What cannot be taken back now is when the next one joins.
        lender.into_iter().for_each(|lender| lender.reclaim());
    }
}

/// A bell that nobody hears.
struct Nobody;

impl Doorbell for Nobody {
    fn ring(&self, _source: u32) {}
}

#[cfg(test)]
mod tests {
    use tokkyu_process::{Borrower, Receipt, SharedBell};
    use tokkyu_topic::Reader;

    use super::*;

    struct Number(u32);

    impl Object for Number {
        fn wire_len(&self) -> usize {
            4
        }

        fn write(&self, out: &mut [u8]) {
            out.copy_from_slice(&self.0.to_le_bytes());
        }
    }

    fn outlet(latch: bool) -> (Arc<Outlet>, Reader<Payload>) {
        let limits = Limits { latch, loans: 2, ..Limits::for_links(2, 4) }.with_all_slots();
        let (publisher, channel) = tokkyu_graph::channel(limits, 0).unwrap();
        let reader = channel.join(Terms::keep_last(4), Arc::new(Nobody), 0).unwrap();
        (Outlet::new("/topic", publisher, 4, 0, 0), reader)
    }

    fn say(outlet: &Outlet, text: &[u8]) -> *const u8 {
        let mut slot = outlet.loan(text.len()).unwrap();
        slot.copy_from_slice(text);
        let place = slot.as_ptr();
        outlet.publish(slot).unwrap();
        place
    }

    fn listening(bell: &SharedBell, receipts: Option<Receipts>) -> Listening {
        Listening { bell: bell.name().to_owned(), source: 5, receipts }
    }

    fn joined(outlet: &Outlet) -> (Borrower, SharedBell, u32) {
        let borrower = Borrower::open(&outlet.begin().unwrap(), 4).unwrap();
        let bell = SharedBell::create().unwrap();
        let number = outlet.add(&listening(&bell, None)).unwrap();
        assert_eq!(bell.answer(), 1 << 5, "for what came meanwhile");
        (borrower, bell, number)
    }

    fn heard(borrower: &mut Borrower) -> Option<(u32, Vec<u8>)> {
        borrower.take().unwrap().map(|sample| (sample.sequence(), sample.to_vec()))
    }

    fn heard_here(reader: &mut Reader<Payload>) -> Vec<u8> {
        reader.take().unwrap().expect("a sample").bytes().to_vec()
    }

    /// NODE-82: all read what was filled, where it was filled.
    #[test]
    fn all_read_the_slot_that_was_filled() {
        let (outlet, mut reader) = outlet(false);
        say(&outlet, b"before");
        assert_eq!(heard_here(&mut reader), b"before");
        let (mut borrower, bell, _) = joined(&outlet);
        for (number, text) in (0..).zip([b"one", b"two"]) {
            let place = say(&outlet, text);
            assert_eq!(bell.answer(), 1 << 5);
            let here = reader.take().unwrap().expect("a sample");
            let in_page = |place: *const u8| place as usize % 4096;
            // Readers have a mapping of their own of the same memory.
            let place_here = here.bytes().as_ptr();
            assert_eq!((here.bytes(), in_page(place_here)), (&text[..], in_page(place)));
            assert_eq!(heard(&mut borrower), Some((number, text.to_vec())));
        }
    }

    /// NODE-82: an object stays one in its process.
    #[test]
    fn an_object_is_written_once_for_all_processes() {
        let (outlet, mut reader) = outlet(false);
        let (mut one, _one_bell, _) = joined(&outlet);
        let (mut other, _other_bell, _) = joined(&outlet);
        outlet.publish_object(Arc::new(Number(7))).unwrap();
        assert!(reader.take().unwrap().expect("a sample").object().is_some());
        for borrower in [&mut one, &mut other] {
            assert_eq!(heard(borrower), Some((0, vec![7, 0, 0, 0])));
        }
    }

    /// A loan may be older than the first who borrows, or outlast the last.
    #[test]
    fn loans_survive_who_comes_and_goes() {
        let (outlet, mut reader) = outlet(false);
        let mut old = outlet.loan(3).unwrap();
        let (mut borrower, bell, number) = joined(&outlet);
        old.copy_from_slice(b"old");
        outlet.publish(old).unwrap();
        assert_eq!(
            (heard_here(&mut reader), heard(&mut borrower)),
            (b"old".to_vec(), Some((0, b"old".to_vec())))
        );
        let mut last = outlet.loan(4).unwrap();
        assert_eq!(bell.answer(), 1 << 5);
        outlet.remove(number);
        last.copy_from_slice(b"last");
        outlet.publish(last).unwrap();
        assert_eq!((heard_here(&mut reader), heard(&mut borrower)), (b"last".to_vec(), None));
        assert_eq!(bell.answer(), 0, "nobody rings for who has left");
        say(&outlet, b"after");
        assert_eq!(heard_here(&mut reader), b"after");
    }

    /// NODE-84: whatever was said before anybody borrowed, or while nobody did.
    #[test]
    fn who_comes_gets_the_latched_one_first() {
        let (outlet, _reader) = outlet(true);
        say(&outlet, b"before");
        let (mut first, _bell, number) = joined(&outlet);
        assert_eq!(heard(&mut first), Some((0, b"before".to_vec())));
        outlet.remove(number);
        drop(first);
        say(&outlet, b"unheard");
        let (mut second, _bell, _) = joined(&outlet);
        assert_eq!(heard(&mut second), Some((1, b"unheard".to_vec())));
        say(&outlet, b"then");
        assert_eq!([heard(&mut second), heard(&mut second)], [Some((2, b"then".to_vec())), None]);
    }

    #[test]
    fn what_is_no_bell_is_refused() {
        let (outlet, _reader) = outlet(false);
        let bell = SharedBell::create().unwrap();
        let right = listening(&bell, None);
        let refused = |listening: &Listening| outlet.add(listening).unwrap_err();
        assert!(refused(&right).contains("not lent"));
        outlet.begin().unwrap();
        assert!(refused(&Listening { source: 31, ..right.clone() }).contains("31 sources"));
        let wrong = Listening { bell: "tokkyu-bell-1-2".to_owned(), ..right.clone() };
        assert!(refused(&wrong).contains("tokkyu-bell-1-2"));
        let wrong = Listening { receipts: Some(Receipts { word: 960, depth: 1 }), ..right.clone() };
        assert!(refused(&wrong).contains("960 links"));
        assert!(outlet.add(&right).is_ok());
    }

    /// What a reliable subscriber of another process does: one queue of 2.
    struct Reliable {
        borrower: Borrower,
        bell: SharedBell,
        receipt: Receipt,
    }

    impl Reliable {
        fn open(outlet: &Outlet) -> Reliable {
            let borrower = Borrower::open(&outlet.begin().unwrap(), 2).unwrap();
            let bell = SharedBell::create().unwrap();
            let receipt = bell.receipt().unwrap();
            Reliable { borrower, bell, receipt }
        }

        fn join(&self, outlet: &Outlet) -> u32 {
            let receipts = Receipts { word: self.receipt.number(), depth: 2 };
            outlet.add(&listening(&self.bell, Some(receipts))).unwrap()
        }

        fn hear(&mut self) -> Option<u8> {
            let sample = self.borrower.take().unwrap()?;
            self.receipt.say(sample.sequence());
            Some(sample[0])
        }
    }

    fn say_one(outlet: &Outlet, number: u8) -> Result<u32, PublishError> {
        let mut slot = outlet.loan(1).unwrap();
        slot[0] = number;
        outlet.publish(slot)
    }

    /// NODE-86: nobody gets what a reliable subscriber in another process has no room for, and that one misses nothing that others get.
    #[test]
    fn a_full_reliable_subscriber_elsewhere_makes_publish_report() {
        let (outlet, mut reader) = outlet(false);
        let (mut beside, _bell, _) = joined(&outlet);
        let mut reliable = Reliable::open(&outlet);
        // Before it has joined it may lose what it hears.
        (0..5).for_each(|number| assert!(say_one(&outlet, number).is_ok()));
        let joined = reliable.join(&outlet);
        let mut published = Vec::new();
        for number in 10..40 {
            match say_one(&outlet, number) {
                Ok(_) => published.push(number),
                Err(error) => assert_eq!(error, PublishError::Full),
            }
            if number % 3 == 0 {
                let _ = reliable.hear();
            }
        }
        // Two that were there when it joined, and room for two.
        assert!(published.starts_with(&[10, 11]) && published.len() < 20, "{published:?}");
        outlet.remove(joined);
        say_one(&outlet, 99).expect("it has left");
        let mut seen: Vec<u8> =
            core::iter::from_fn(|| heard(&mut beside)).map(|(_, bytes)| bytes[0]).collect();
        let last = seen.pop();
        assert_eq!((last, reader.take().unwrap().is_some()), (Some(99), true));
        assert!(published.ends_with(&seen), "{seen:?} of {published:?}");
    }

    /// NODE-86: all of them, one after the other, however long it takes to come.
    #[test]
    fn a_reliable_subscriber_elsewhere_hears_all_that_was_published() {
        let (outlet, _reader) = outlet(false);
        let mut reliable = Reliable::open(&outlet);
        reliable.join(&outlet);
        let (mut published, mut got) = (Vec::new(), Vec::new());
        for number in 0..200_u8 {
            published.extend(say_one(&outlet, number).ok().map(|_| number));
            if number % 7 < 2 {
                got.extend(reliable.hear());
            }
        }
        got.extend(core::iter::from_fn(|| reliable.hear()));
        assert_eq!(got, published);
        assert!((50..70).contains(&published.len()), "two of seven find room: {}", published.len());
    }
}
