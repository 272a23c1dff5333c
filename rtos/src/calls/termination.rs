//! Ending on request: `ras_ter`, `dis_ter`, `ena_ter`, `sns_ter`.

use super::{Error, Kernel, Port, Result, of_number};
use crate::call::Call;
use crate::task::termination;

impl<P: Port> Kernel<P> {
    /// `ras_ter`: ends another task of this processor, as `ter_tsk` does. One that has disabled that is asked to: it waits no more, is
    /// suspended no more, and ends when it enables it again.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_ILUSE`: itself; `E_OBJ`: it is dormant, or another processor's.
    pub fn ras_ter(&self, task: i32) -> Result {
        let (processor, own) = self.enter_task()?;
        self.port.called(Call::RasTer, task);
        let task = self.found(processor, of_number(self.objects().tasks, task))?;
        self.require(processor, !core::ptr::eq(task, own), Error::IllegalUse)?;
        self.end_other(processor, task, true)
    }

    /// `dis_ter`: the running task is not ended by `ras_ter` until `ena_ter`.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn dis_ter(&self) -> Result {
        let (_, own) = self.enter_task()?;
        own.termination.set(own.termination.get() | termination::DISABLED);
        self.port.unmask();
        Ok(())
    }

    /// `ena_ter`: it may be ended again. If that was asked for meanwhile it ends here, and the call does not return.
    ///
    /// # Errors
    /// `E_CTX`
    pub fn ena_ter(&self) -> Result {
        let (processor, own) = self.enter_task()?;
        if own.termination.get() & termination::REQUESTED != 0 {
            self.exit(processor, own);
        }
        own.termination.set(0);
        self.port.unmask();
        Ok(())
    }

    /// `sns_ter`: whether the running task is not ended by `ras_ter`, or there is none.
    pub fn sns_ter(&self) -> bool {
        self.sense(|processor| {
            let own = processor.current.get();
            own.is_none_or(|own| own.termination.get() & termination::DISABLED != 0)
        })
    }
}
