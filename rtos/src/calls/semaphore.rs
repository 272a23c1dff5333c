//! Calls about semaphores: `sig_sem`, `wai_sem`, `pol_sem`, `twai_sem`, `ini_sem`, `ref_sem`.

use crate::call::Call;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Timeout};
use crate::objects::of_number;
use crate::port::Port;
use crate::semaphore::{Semaphore, SemaphoreStatus};
use crate::task::Wait;

impl<P: Port> Kernel<P> {
    /// `sig_sem`: gives a resource back, to the first that waits.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_QOVR`: all are there.
    #[inline]
    pub fn sig_sem(&self, id: i32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::SigSem, id);
        let semaphore = self.found(processor, of_number(self.objects().semaphores, id))?;
        self.lock(&semaphore.lock);
        if let Some(task) = semaphore.queue.take_first() {
            self.hand_to(processor, &semaphore.lock, task);
            return Ok(());
        }
        let count = semaphore.count.get();
        let answer = if count < semaphore.most {
            semaphore.count.set(count + 1);
            Ok(())
        } else {
            Err(Error::Overflow)
        };
        self.unlock(&semaphore.lock);
        self.leave(processor);
        answer
    }

    /// `wai_sem`: takes a resource, or waits for one.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_RLWAI`, `E_DLT`.
    #[inline]
    pub fn wai_sem(&self, id: i32) -> Result {
        self.twai_sem(id, Timeout::Forever)
    }

    /// `twai_sem`: the same for a time.
    ///
    /// # Errors
    /// As [`wai_sem`](Self::wai_sem); `E_PAR`, `E_TMOUT`.
    #[inline]
    pub fn twai_sem(&self, id: i32, timeout: Timeout) -> Result {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TwaiSem, id);
        let semaphore = self.found(processor, of_number(self.objects().semaphores, id))?;
        self.may_wait(processor, task, timeout)?;
        self.lock(&semaphore.lock);
        let count = semaphore.count.get();
        if count == 0 && timeout != Timeout::Poll {
            let wait = Wait::Semaphore(id as u16);
            return self.wait((processor, task), wait, Some(semaphore.place()), timeout);
        }
        let answer = take(semaphore, count);
        self.unlock(&semaphore.lock);
        self.leave(processor);
        answer
    }

    /// `pol_sem`: takes a resource if there is one.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_TMOUT`.
    pub fn pol_sem(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::PolSem, id);
        let semaphore = self.found(processor, of_number(self.objects().semaphores, id))?;
        self.locked(processor, &semaphore.lock, || take(semaphore, semaphore.count.get()))
    }

    /// `ini_sem`: as it was declared; who waits is told `E_DLT`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ini_sem(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let semaphore = self.found(processor, of_number(self.objects().semaphores, id))?;
        self.locked(processor, &semaphore.lock, || {
            self.wake_all(semaphore.place(), Err(Error::Deleted));
            semaphore.count.set(semaphore.initial);
        });
        Ok(())
    }

    /// `ref_sem`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_sem(&self, id: i32) -> Result<SemaphoreStatus> {
        let (processor, _) = self.enter_task()?;
        let semaphore = self.found(processor, of_number(self.objects().semaphores, id))?;
        let status = self.locked(processor, &semaphore.lock, || semaphore.status());
        Ok(status)
    }
}

fn take(semaphore: &Semaphore, count: u32) -> Result {
    if count == 0 {
        return Err(Error::Timeout);
    }
    semaphore.count.set(count - 1);
    Ok(())
}
