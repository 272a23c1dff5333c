//! Threads of a bridge that ended by a panic: the main thread must know, or topics would cease without a word.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::session::SessionError;

/// What the main thread and all others hold. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Deaths(Arc<Mutex<Option<String>>>);

impl Deaths {
    /// To be held by the calling thread for as long as it works.
    pub fn watch(&self) -> Watched {
        let name = thread::current().name().unwrap_or("without a name").to_owned();
        Watched { name, deaths: self.clone() }
    }

    /// Whether all live.
    ///
    /// # Errors
    /// One died.
    pub fn check(&self) -> Result<(), SessionError> {
        let died = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        died.map_or(Ok(()), |name| Err(SessionError::Failed(format!("the thread {name} died"))))
    }
}

/// Tells when a panic drops it.
#[derive(Debug)]
pub struct Watched {
    name: String,
    deaths: Deaths,
}

impl Drop for Watched {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut died = self.deaths.0.lock().unwrap_or_else(PoisonError::into_inner);
            died.get_or_insert(std::mem::take(&mut self.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_dies_is_told_by_its_name_and_one_that_ends_is_not() {
        let deaths = Deaths::default();
        let end = |name: &str, dies: bool| {
            let deaths = deaths.clone();
            let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
                let _watched = deaths.watch();
                assert!(!dies, "as the test wants");
            });
            thread.expect("a thread is to be had").join().is_ok()
        };
        assert!(end("bridge-control", false) && deaths.check().is_ok());
        assert!(!end("bridge-realtime", true));
        let error = deaths.check().expect_err("one died").to_string();
        assert!(error.starts_with("the thread bridge-realtime died; "), "{error}");
    }
}
