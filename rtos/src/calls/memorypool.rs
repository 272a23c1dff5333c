//! Calls about fixed-size memory pools: `get_mpf`, `pget_mpf`, `tget_mpf`, `rel_mpf`, `ini_mpf`, `ref_mpf`.

use crate::call::Call;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Timeout};
use crate::memorypool::MemoryPoolStatus;
use crate::objects::of_number;
use crate::port::Port;
use crate::task::Wait;

impl<P: Port> Kernel<P> {
    /// `get_mpf`: a block; waits where there is none.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_RLWAI`, `E_DLT`.
    pub fn get_mpf(&self, id: i32) -> Result<*mut u8> {
        self.tget_mpf(id, Timeout::Forever)
    }

    /// `tget_mpf`: the same for a time.
    ///
    /// # Errors
    /// As [`get_mpf`](Self::get_mpf); `E_PAR`, `E_TMOUT`.
    pub fn tget_mpf(&self, id: i32, timeout: Timeout) -> Result<*mut u8> {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TgetMpf, id);
        let pool = self.found(processor, of_number(self.objects().memory_pools, id))?;
        self.may_wait(processor, task, timeout)?;
        self.lock(&pool.lock);
        let taken = pool.take();
        if taken.is_none() && timeout != Timeout::Poll {
            self.wait((processor, task), Wait::MemoryPool(id as u16), Some(pool.place()), timeout)?;
            return Ok(pool.address(task.waits.data.get()));
        }
        self.unlock(&pool.lock);
        self.leave(processor);
        taken.map(|index| pool.address(index)).ok_or(Error::Timeout)
    }

    /// `pget_mpf`: the same without waiting.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_TMOUT`.
    pub fn pget_mpf(&self, id: i32) -> Result<*mut u8> {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::PgetMpf, id);
        let pool = self.found(processor, of_number(self.objects().memory_pools, id))?;
        self.lock(&pool.lock);
        let taken = pool.take();
        self.unlock(&pool.lock);
        self.leave(processor);
        taken.map(|index| pool.address(index)).ok_or(Error::Timeout)
    }

    /// `rel_mpf`: gives a block back, to the first that waits.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_PAR`: no block of this pool, or not given out.
    pub fn rel_mpf(&self, id: i32, block: *mut u8) -> Result {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::RelMpf, id);
        let pool = self.found(processor, of_number(self.objects().memory_pools, id))?;
        self.lock(&pool.lock);
        let answer = match (pool.taken_at(block), pool.queue.first()) {
            (None, _) => Err(Error::Parameter),
            (Some(index), Some(task)) => {
                pool.queue.remove(task);
                task.waits.data.set(index);
                self.wake(task, Ok(()));
                Ok(())
            }
            (Some(index), None) => {
                pool.put(index);
                Ok(())
            }
        };
        self.unlock(&pool.lock);
        self.leave(processor);
        answer
    }

    /// `ini_mpf`: all blocks are free; who waits is told `E_DLT`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ini_mpf(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let pool = self.found(processor, of_number(self.objects().memory_pools, id))?;
        self.locked(processor, &pool.lock, || {
            self.wake_all(pool.place(), Err(Error::Deleted));
            pool.fill();
        });
        Ok(())
    }

    /// `ref_mpf`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_mpf(&self, id: i32) -> Result<MemoryPoolStatus> {
        let (processor, _) = self.enter_task()?;
        let pool = self.found(processor, of_number(self.objects().memory_pools, id))?;
        let status = self.locked(processor, &pool.lock, || pool.status());
        Ok(status)
    }
}
