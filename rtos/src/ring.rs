//! Rings of tasks: each task leads to the one before and the one after it, the last to the first.

use crate::task::Task;

/// Makes a ring of one.
pub(crate) fn alone(task: &'static Task) {
    task.next.set(Some(task));
    task.prev.set(Some(task));
}

/// Puts `task` before `at`; before the first of a ring is at its end.
pub(crate) fn insert_before(at: &'static Task, task: &'static Task) {
    let before = at.prev.get();
    task.next.set(Some(at));
    task.prev.set(before);
    at.prev.set(Some(task));
    if let Some(before) = before {
        before.next.set(Some(task));
    }
}

/// Takes `task` out, and answers which one came after it; `None` if it was alone.
pub(crate) fn take_out(task: &'static Task) -> Option<&'static Task> {
    let after = task.next.get().filter(|after| !core::ptr::eq(*after, task))?;
    let before = task.prev.get()?;
    before.next.set(Some(after));
    after.prev.set(Some(before));
    Some(after)
}
