//! Notices threads of a program that ended by a panic.
//!
//! Runs in the main thread, at each turn and at the end; a thread that has not ended is not waited for.

use std::thread::JoinHandle;

use tokkyu_link::runtime::panic_message;

use super::DriveError;

/// Takes those that have ended out of `threads`. Why the program cannot go on, where one of them died.
pub(crate) fn take_ended(threads: &mut Vec<JoinHandle<()>>) -> Option<DriveError> {
    let ended = threads.extract_if(.., |thread| thread.is_finished());
    ended.filter_map(|thread| join(thread).err()).reduce(|first, _| first)
}

/// Waits for `thread`; gives what it gave.
pub(crate) fn join<T>(thread: JoinHandle<T>) -> Result<T, DriveError> {
    let name = thread.thread().name().unwrap_or("a thread").to_owned();
    thread
        .join()
        .map_err(|cause| DriveError::ThreadDied { name, why: panic_message(cause.as_ref()).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_thread_that_died_is_named_with_its_reason_and_one_that_runs_is_left() {
        let (go_on, waits) = std::sync::mpsc::channel::<()>();
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        let mut threads = vec![
            named("cam-front").spawn(move || assert!(waits.recv().is_err())).unwrap(),
            named("cam-done").spawn(|| {}).unwrap(),
            named("cam-rear").spawn(|| panic!("no {}", "lens")).unwrap(),
        ];
        while !threads[1..].iter().all(JoinHandle::is_finished) {
            thread::yield_now();
        }
        let error = take_ended(&mut threads).unwrap();
        assert!(error.to_string().starts_with("the thread cam-rear died: no lens;"), "{error}");
        assert_eq!(threads.len(), 1);
        drop(go_on);
        assert!(threads.into_iter().all(|thread| join(thread).is_ok()));
    }
}
