//! Calls about spin locks of programs: `loc_spn`, `try_spn`, `unl_spn`, `ref_spn`.

use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::objects::of_number;
use crate::port::Port;
use crate::processor::CPU_LOCKED;

impl<P: Port> Kernel<P> {
    /// `loc_spn`: locks the processor and waits, working, until the lock is ours.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn loc_spn(&self, id: i32) -> Result {
        loop {
            match self.try_spn(id) {
                // Interrupts come in between tries; and perhaps another task, on another processor even.
                Err(Error::State) => self.port.relax(),
                answer => return answer,
            }
        }
    }

    /// `try_spn`: the same without waiting.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_OBJ`: another processor has it.
    pub fn try_spn(&self, id: i32) -> Result {
        let processor = self.enter()?;
        let lock = self.found(processor, of_number(self.objects().spin_locks, id))?;
        if !lock.try_take(processor.index.get()) {
            return self.refuse(processor, Error::State);
        }
        processor.spin_lock.set(Some(lock));
        processor.context.set(processor.context.get() | CPU_LOCKED);
        Ok(())
    }

    /// `unl_spn`: lets it go, and the processor.
    ///
    /// # Errors
    /// `E_ID`; `E_ILUSE`: this processor does not have it.
    pub fn unl_spn(&self, id: i32) -> Result {
        self.port.mask();
        let processor = self.here();
        let lock = self.found(processor, of_number(self.objects().spin_locks, id))?;
        self.require(processor, processor.spin_lock.is(lock), Error::IllegalUse)?;
        processor.let_spin_lock_go();
        processor.context.set(processor.context.get() & !CPU_LOCKED);
        self.leave(processor);
        Ok(())
    }

    /// `ref_spn`: whether somebody has it.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_spn(&self, id: i32) -> Result<bool> {
        let (processor, _) = self.enter_task()?;
        let lock = self.found(processor, of_number(self.objects().spin_locks, id))?;
        self.leave(processor);
        Ok(lock.owner().is_some())
    }
}
