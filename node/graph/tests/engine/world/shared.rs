//! Memory that nodes share, as far as the machine knows of it: names, bells, and who was told what.

use std::sync::{Arc, Mutex};

use tokkyu_graph::{Lending, Listening, Origin, Payload, Receipts, Subscriber};
use tokkyu_topic::{Doorbell, Reader, Terms};

use super::program::Inbox;

/// A topic that is lent.
#[derive(Default)]
pub struct Lent {
    refuses_to_begin: bool,
    refuses_bells: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bells: Vec<(u32, Listening)>,
    next: u32,
    begun: u32,
    reclaimed: u32,
}

impl Lent {
    pub fn that_refuses(to_begin: bool, bells: bool) -> Lent {
        Lent { refuses_to_begin: to_begin, refuses_bells: bells, state: Mutex::default() }
    }

    pub fn bells(&self) -> Vec<Listening> {
        self.state.lock().unwrap().bells.iter().map(|(_, listening)| listening.clone()).collect()
    }

    /// How often somebody asked for it, and how often what somebody had was taken back.
    pub fn counts(&self) -> (u32, u32) {
        let state = self.state.lock().unwrap();
        (state.begun, state.reclaimed)
    }
}

impl Lending for Lent {
    fn begin(&self) -> Result<String, String> {
        self.state.lock().unwrap().begun += 1;
        if self.refuses_to_begin { Err("no memory".into()) } else { Ok("the lender".into()) }
    }

    fn add(&self, listening: &Listening) -> Result<u32, String> {
        if self.refuses_bells {
            return Err("no such bell".into());
        }
        let mut state = self.state.lock().unwrap();
        let number = state.next;
        state.next += 1;
        state.bells.push((number, listening.clone()));
        Ok(number)
    }

    fn remove(&self, bell: u32) {
        let mut state = self.state.lock().unwrap();
        let before = state.bells.len();
        state.bells.retain(|(number, ..)| *number != bell);
        assert_eq!(state.bells.len() + 1, before, "it was there, once");
    }

    fn reclaim(&self) {
        self.state.lock().unwrap().reclaimed += 1;
    }
}

/// A subscription that can borrow, and reads like an [`Inbox`] what it does not borrow.
pub struct Borrows {
    pub inbox: Arc<Inbox>,
    pub source: u32,
    pub refuses: bool,
    /// Of a reliable one.
    pub receipts: Option<Receipts>,
    said: Mutex<Vec<Said>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Opened(String),
    Linked,
    Gone,
}

impl Borrows {
    pub fn new(source: u32, refuses: bool) -> Arc<Borrows> {
        Arc::new(Borrows { inbox: Inbox::new(8), source, refuses, receipts: None, said: Mutex::default() })
    }

    pub fn reliable(source: u32, word: u32, depth: u32) -> Arc<Borrows> {
        let receipts = Some(Receipts { word, depth });
        Arc::new(Borrows { inbox: Inbox::new(8), source, refuses: false, receipts, said: Mutex::default() })
    }

    pub fn said(&self) -> Vec<Said> {
        self.said.lock().unwrap().clone()
    }
}

impl Subscriber for Borrows {
    fn terms(&self) -> Terms {
        self.inbox.terms()
    }

    fn bell(&self) -> (Arc<dyn Doorbell>, u32) {
        self.inbox.bell()
    }

    fn on_publisher(&self, origin: Arc<Origin>, reader: Reader<Payload>) {
        self.inbox.on_publisher(origin, reader);
    }

    fn borrow(&self, origin: &Arc<Origin>, lender: &str) -> Result<Listening, String> {
        assert_eq!((&origin.datatype[..], &origin.md5sum[..]), ("test/Bytes", "abc"));
        self.said.lock().unwrap().push(Said::Opened(lender.into()));
        let Borrows { source, receipts, .. } = *self;
        if self.refuses {
            Err("no such file".into())
        } else {
            Ok(Listening { bell: "a bell".into(), source, receipts })
        }
    }

    fn on_linked(&self, _link: u32) {
        self.said.lock().unwrap().push(Said::Linked);
    }

    fn on_gone(&self, link: u32) {
        self.said.lock().unwrap().push(Said::Gone);
        self.inbox.on_gone(link);
    }
}
