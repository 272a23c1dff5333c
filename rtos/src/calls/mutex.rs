//! Calls about mutexes: `loc_mtx`, `ploc_mtx`, `tloc_mtx`, `unl_mtx`, `ini_mtx`, `ref_mtx`; and the priorities that follow from them.
//!
//! A task's level is that of its own priority or, if one of the mutexes that it has asks for more, that. With inheritance one level
//! follows from the next, from who waits to who has the mutex and what that one waits for: all of that is done with the chain's lock
//! held (SPEC.md RTK-51).

use crate::call::Call;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Timeout};
use crate::mutex::{Mutex, MutexStatus, Protocol};
use crate::objects::of_number;
use crate::port::Port;
use crate::processor::Processor;
use crate::task::{Task, Wait};
use crate::waiting::Place;

impl<P: Port> Kernel<P> {
    /// `loc_mtx`: takes the mutex, or waits for it.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_ILUSE`: the caller has it, or is more urgent than its ceiling; `E_RLWAI`, `E_DLT`.
    pub fn loc_mtx(&self, id: i32) -> Result {
        self.tloc_mtx(id, Timeout::Forever)
    }

    /// `ploc_mtx`: the same without waiting.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_ILUSE`, `E_TMOUT`.
    pub fn ploc_mtx(&self, id: i32) -> Result {
        let (processor, task) = self.enter_task()?;
        self.port.called(Call::PlocMtx, id);
        let mutex = self.found(processor, of_number(self.objects().mutexes, id))?;
        self.begin_mutex(mutex);
        let answer = self.try_mutex(mutex, task);
        self.end_mutex(mutex);
        self.leave(processor);
        answer
    }

    /// `tloc_mtx`: the same for a time.
    ///
    /// # Errors
    /// As [`loc_mtx`](Self::loc_mtx); `E_PAR`, `E_TMOUT`.
    pub fn tloc_mtx(&self, id: i32, timeout: Timeout) -> Result {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TlocMtx, id);
        let mutex = self.found(processor, of_number(self.objects().mutexes, id))?;
        self.may_wait(processor, task, timeout)?;
        self.begin_mutex(mutex);
        let answer = self.try_mutex(mutex, task);
        if answer != Err(Error::Timeout) || timeout == Timeout::Poll {
            self.end_mutex(mutex);
            self.leave(processor);
            return answer;
        }
        self.lock(&processor.lock);
        self.begin_wait(processor, task, Wait::Mutex(id as u16), timeout);
        mutex.queue.insert(task);
        self.unlock(&mutex.lock);
        if mutex.inherits() {
            // It waits already, so that whoever looks at the owner meanwhile finds it. Nobody can wake it: that takes the chain's lock;
            // and nobody here can go on with it, as this processor is still in this call.
            self.unlock(&processor.lock);
            self.raise(mutex.owner.get());
            self.lock(&processor.lock);
            self.unlock(self.chain());
        }
        self.dispatch(processor);
        self.port.unmask();
        task.outcome()
    }

    /// `unl_mtx`: gives it back, to the first that waits.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: the caller does not have it.
    pub fn unl_mtx(&self, id: i32) -> Result {
        let (processor, task) = self.enter_task()?;
        self.port.called(Call::UnlMtx, id);
        let mutex = self.found(processor, of_number(self.objects().mutexes, id))?;
        self.begin_mutex(mutex);
        let is_ours = mutex.owner.is(task);
        if is_ours {
            self.give_back(mutex, task);
        }
        self.end_mutex(mutex);
        self.leave(processor);
        if is_ours { Ok(()) } else { Err(Error::State) }
    }

    /// `ini_mtx`: nobody's; who waits is told `E_DLT`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ini_mtx(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let mutex = self.found(processor, of_number(self.objects().mutexes, id))?;
        // Its owner may wait for another, whose owner is then less urgent too.
        self.lock(self.chain());
        self.lock(&mutex.lock);
        self.wake_all(mutex.place(), Err(Error::Deleted));
        if let Some(owner) = mutex.owner.get() {
            self.give_back(mutex, owner);
        }
        self.unlock(&mutex.lock);
        self.unlock(self.chain());
        self.leave(processor);
        Ok(())
    }

    /// `ref_mtx`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_mtx(&self, id: i32) -> Result<MutexStatus> {
        let (processor, _) = self.enter_task()?;
        let mutex = self.found(processor, of_number(self.objects().mutexes, id))?;
        self.begin_mutex(mutex);
        let status = mutex.status();
        self.end_mutex(mutex);
        self.leave(processor);
        Ok(status)
    }

    /// Gives back all that a task has, which ends. The chain's lock is held.
    pub(super) fn give_all_back(&self, task: &'static Task) {
        while let Some(mutex) = held(task, self.objects().mutexes).next() {
            self.lock(&mutex.lock);
            // Somebody may have given it back meanwhile.
            if mutex.owner.is(task) {
                self.give_back(mutex, task);
            }
            self.unlock(&mutex.lock);
        }
    }

    fn begin_mutex(&self, mutex: &'static Mutex) {
        if mutex.inherits() {
            self.lock(self.chain());
        }
        self.lock(&mutex.lock);
    }

    fn end_mutex(&self, mutex: &'static Mutex) {
        self.unlock(&mutex.lock);
        if mutex.inherits() {
            self.unlock(self.chain());
        }
    }

    /// Takes it if it is nobody's; `E_TMOUT` if it is another's.
    fn try_mutex(&self, mutex: &'static Mutex, task: &'static Task) -> Result {
        // Its priority is looked at and acted upon in one go.
        let at = self.lock_processor_of(task);
        let too_urgent = match mutex.protocol {
            Protocol::Ceiling(priority) => task.base.get() < priority - 1,
            _ => false,
        };
        let answer = match mutex.owner.get() {
            _ if too_urgent => Err(Error::IllegalUse),
            Some(owner) if core::ptr::eq(owner, task) => Err(Error::IllegalUse),
            Some(_) => Err(Error::Timeout),
            None => {
                hold(mutex, task);
                self.set_level(at, task, self.level_of(task), true);
                Ok(())
            }
        };
        self.unlock(&at.lock);
        answer
    }

    /// From its owner to the first that waits, or to nobody.
    fn give_back(&self, mutex: &'static Mutex, owner: &'static Task) {
        let at = self.lock_processor_of(owner);
        let_go(mutex, owner, self.objects().mutexes);
        mutex.owner.set(None);
        let level = self.level_of(owner);
        // One that waits has its place by priority somewhere: `raise` finds it, with the locks that takes.
        let waits = owner.is_waiting();
        if !waits {
            self.set_level(at, owner, level, true);
        }
        self.unlock(&at.lock);
        if let Some(task) = mutex.queue.take_first() {
            let at = self.lock_processor_of(task);
            hold(mutex, task);
            task.priority.set(self.level_of(task));
            self.end_wait(at, task, Ok(()));
            self.unlock(&at.lock);
        }
        if waits {
            self.unlock(&mutex.lock);
            self.raise(Some(owner));
            self.lock(&mutex.lock);
        }
    }

    /// Gives a task the level that follows from what it has, then the one that has what it waits for, and so on. No lock is held but the
    /// chain's, if there are mutexes with inheritance.
    pub(crate) fn raise(&self, task: Option<&'static Task>) {
        let mut task = task;
        while let Some(now) = task {
            let (at, place) = self.lock_with_place_in_chain(now);
            let level = self.level_of(now);
            let changes = now.priority.get() != level && !now.is_dormant();
            if changes {
                self.set_level_at(at, place, now, level);
            }
            let follows = place.filter(|_| changes);
            self.unlock(&at.lock);
            if let Some(place) = place {
                self.unlock(place.lock);
            }
            task = follows.and_then(|place| self.owner_of(place));
        }
    }

    /// Who has the mutex with inheritance that a place is of.
    pub(crate) fn owner_of(&self, place: Place) -> Option<&'static Task> {
        of_number(self.objects().mutexes, i32::from(place.mutex?)).ok()?.owner.get()
    }

    /// The level that a task's priority and what it has ask for.
    pub(crate) fn level_of(&self, task: &Task) -> u8 {
        held(task, self.objects().mutexes).filter_map(Mutex::level).fold(task.base.get(), u8::min)
    }

    /// As [`set_level`](Self::set_level), also of a task that waits by priority.
    pub(super) fn set_level_at(
        &self,
        at: &'static Processor,
        place: Option<Place>,
        task: &'static Task,
        level: u8,
    ) {
        let place = place.filter(|place| place.queue.by_priority());
        if let Some(place) = place {
            place.queue.remove(task);
        }
        self.set_level(at, task, level, false);
        if let Some(place) = place {
            place.queue.insert(task);
        }
    }
}

fn let_go(mutex: &'static Mutex, task: &'static Task, mutexes: &'static [Mutex]) {
    let number = mutex.number.get();
    if task.held.get() == number {
        task.held.set(mutex.next_held.get());
    } else if let Some(before) = held(task, mutexes).find(|held| held.next_held.get() == number) {
        before.next_held.set(mutex.next_held.get());
    }
    mutex.next_held.set(0);
}

fn hold(mutex: &'static Mutex, task: &'static Task) {
    mutex.owner.set(Some(task));
    mutex.next_held.set(task.held.get());
    task.held.set(mutex.number.get());
}

/// The mutexes that a task has, the last first.
pub(super) fn held(task: &Task, mutexes: &'static [Mutex]) -> impl Iterator<Item = &'static Mutex> {
    let of = |number: u16| mutexes.get(usize::from(number).wrapping_sub(1));
    core::iter::successors(of(task.held.get()), move |mutex| of(mutex.next_held.get()))
}
