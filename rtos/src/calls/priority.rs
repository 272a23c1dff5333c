//! Priorities and their order: `chg_pri`, `get_pri`, `rot_rdq`, `mrot_rdq`.

use super::mutex::held;
use super::{Error, Kernel, OWN_PRIORITY, Port, Processor, Result, Task, of_number};
use crate::call::Call;
use crate::mutex::{Mutex, Protocol};
use crate::task::PRIORITIES;

impl<P: Port> Kernel<P> {
    /// `chg_pri`: from 1, the highest, to 16; 0 is the one it was declared with.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_PAR`; `E_OBJ`: it is dormant; `E_ILUSE`: more urgent than the ceiling of a mutex that it has.
    pub fn chg_pri(&self, task: i32, priority: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::ChgPri, task);
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let level = match priority {
            OWN_PRIORITY => Ok(task.config().priority - 1),
            priority => level_of(priority),
        };
        let level = self.found(processor, level)?;
        if self.objects().mutexes.is_empty() {
            return self.change(processor, task, level);
        }
        self.change_in_chain(processor, task, level)
    }

    fn change(&self, processor: &'static Processor, task: &'static Task, level: u8) -> Result {
        let (at, place) = self.lock_with_place(task);
        let alive = !task.is_dormant();
        if alive {
            task.base.set(level);
            self.set_level_at(at, place, task, level);
        }
        self.unlock(&at.lock);
        self.unlock_place(place);
        if !alive {
            return self.refuse(processor, Error::State);
        }
        self.leave(processor);
        Ok(())
    }

    /// Where there are mutexes: what follows for who has them is done under one lock.
    fn change_in_chain(&self, processor: &'static Processor, task: &'static Task, level: u8) -> Result {
        self.lock(self.chain());
        let (at, place) = self.lock_with_place_in_chain(task);
        let answer = match (task.is_dormant(), self.is_beyond_ceiling(task, level)) {
            (true, _) => Err(Error::State),
            (false, true) => Err(Error::IllegalUse),
            (false, false) => Ok(()),
        };
        let before = task.priority.get();
        if answer.is_ok() {
            task.base.set(level);
            let follows = self.level_of(task);
            // One that a mutex keeps more urgent stays where it is.
            if follows == level || follows != before {
                self.set_level_at(at, place, task, follows);
            }
        }
        let owner = place.and_then(|place| self.owner_of(place));
        self.unlock(&at.lock);
        if let Some(place) = place {
            self.unlock(place.lock);
        }
        self.raise(owner);
        self.unlock(self.chain());
        self.leave(processor);
        answer
    }

    /// Whether a task would be more urgent than the ceiling of a mutex that it has.
    fn is_beyond_ceiling(&self, task: &Task, level: u8) -> bool {
        let beyond = |mutex: &Mutex| matches!(mutex.protocol, Protocol::Ceiling(most) if level < most - 1);
        held(task, self.objects().mutexes).any(beyond)
    }

    /// In front of its new priority, or behind it. The task's processor's lock is held.
    pub(super) fn set_level(&self, at: &'static Processor, task: &'static Task, level: u8, in_front: bool) {
        if !task.is_ready() || (in_front && task.priority.get() == level) {
            task.priority.set(level);
            return;
        }
        at.ready.remove(task);
        task.priority.set(level);
        if in_front {
            at.ready.push_front(task);
        } else {
            at.ready.push(task);
        }
        if at.look_again() {
            self.notice(at);
        }
    }

    /// `get_pri`: the task's priority now.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: it is dormant.
    pub fn get_pri(&self, task: i32) -> Result<i32> {
        let (processor, _) = self.enter_task()?;
        let task = self.found(processor, self.task_or_self(processor, task))?;
        let at = self.lock_processor_of(task);
        let answer =
            if task.is_dormant() { Err(Error::State) } else { Ok(i32::from(task.priority.get()) + 1) };
        self.answer(processor, at, answer)
    }

    /// `rot_rdq`: the first ready task of a priority (0: the caller's) becomes the last, on this processor.
    ///
    /// # Errors
    /// `E_CTX`, `E_PAR`.
    pub fn rot_rdq(&self, priority: i32) -> Result {
        let processor = self.enter()?;
        self.rotate(processor, processor, priority)
    }

    /// `mrot_rdq`: the same on another processor.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_PAR`.
    pub fn mrot_rdq(&self, priority: i32, on: i32) -> Result {
        let processor = self.enter()?;
        let at = self.found(processor, of_number(self.objects().processors, on))?;
        self.rotate(processor, at, priority)
    }

    fn rotate(&self, processor: &'static Processor, at: &'static Processor, priority: i32) -> Result {
        let own = processor.current.get().filter(|_| !processor.in_handler());
        let level = match (priority, own) {
            (OWN_PRIORITY, Some(own)) => Ok(own.priority.get()),
            _ => level_of(priority),
        };
        let level = self.found(processor, level)?;
        self.lock(&at.lock);
        at.ready.rotate(level);
        if at.look_again() {
            self.notice(at);
        }
        self.leave_from(processor, at);
        Ok(())
    }
}

fn level_of(priority: i32) -> Result<u8> {
    if (1..=PRIORITIES as i32).contains(&priority) { Ok(priority as u8 - 1) } else { Err(Error::Parameter) }
}
