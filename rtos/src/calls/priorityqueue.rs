//! Calls about priority data queues: `snd_pdq`, `psnd_pdq`, `tsnd_pdq`, `rcv_pdq`, `prcv_pdq`, `trcv_pdq`, `ini_pdq`, `ref_pdq`.

use crate::call::Call;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Timeout};
use crate::objects::of_number;
use crate::port::Port;
use crate::priorityqueue::{PriorityQueue, PriorityQueueStatus};
use crate::task::Wait;

impl<P: Port> Kernel<P> {
    /// `snd_pdq`: puts a word at its priority's end, or hands it to who waits for one; waits where there is no room.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_PAR`: no such priority; `E_RLWAI`, `E_DLT`.
    pub fn snd_pdq(&self, id: i32, data: usize, priority: i32) -> Result {
        self.tsnd_pdq(id, data, priority, Timeout::Forever)
    }

    /// `tsnd_pdq`: the same for a time.
    ///
    /// # Errors
    /// As [`snd_pdq`](Self::snd_pdq); `E_TMOUT`.
    pub fn tsnd_pdq(&self, id: i32, data: usize, priority: i32, timeout: Timeout) -> Result {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TsndPdq, id);
        let queue = self.found(processor, of_number(self.objects().priority_queues, id))?;
        let level = self.found(processor, queue.level_of(priority))?;
        self.may_wait(processor, task, timeout)?;
        self.lock(&queue.lock);
        let sent = self.send_by_priority(queue, data, level);
        if sent.is_err() && timeout != Timeout::Poll {
            task.waits.data.set(data);
            task.waits.more.set(u32::from(level));
            return self.wait(
                (processor, task),
                Wait::SendPriorityQueue(id as u16),
                Some(queue.to_send()),
                timeout,
            );
        }
        self.unlock(&queue.lock);
        self.leave(processor);
        sent
    }

    /// `psnd_pdq`: the same without waiting; handlers may too.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_PAR`, `E_TMOUT`.
    pub fn psnd_pdq(&self, id: i32, data: usize, priority: i32) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::PsndPdq, id);
        let queue = self.found(processor, of_number(self.objects().priority_queues, id))?;
        let level = self.found(processor, queue.level_of(priority))?;
        self.locked(processor, &queue.lock, || self.send_by_priority(queue, data, level))
    }

    /// `rcv_pdq`: takes the first word and its priority; waits where there is none.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_RLWAI`, `E_DLT`.
    pub fn rcv_pdq(&self, id: i32) -> Result<(usize, i32)> {
        self.trcv_pdq(id, Timeout::Forever)
    }

    /// `trcv_pdq`: the same for a time.
    ///
    /// # Errors
    /// As [`rcv_pdq`](Self::rcv_pdq); `E_PAR`, `E_TMOUT`.
    pub fn trcv_pdq(&self, id: i32, timeout: Timeout) -> Result<(usize, i32)> {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TrcvPdq, id);
        let queue = self.found(processor, of_number(self.objects().priority_queues, id))?;
        self.may_wait(processor, task, timeout)?;
        self.lock(&queue.lock);
        let received = self.receive_by_priority(queue);
        if received.is_err() && timeout != Timeout::Poll {
            self.wait(
                (processor, task),
                Wait::ReceivePriorityQueue(id as u16),
                Some(queue.to_receive()),
                timeout,
            )?;
            return Ok((task.waits.data.get(), task.waits.more.get() as i32 + 1));
        }
        self.unlock(&queue.lock);
        self.leave(processor);
        received
    }

    /// `prcv_pdq`: the same without waiting.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_TMOUT`.
    pub fn prcv_pdq(&self, id: i32) -> Result<(usize, i32)> {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::PrcvPdq, id);
        let queue = self.found(processor, of_number(self.objects().priority_queues, id))?;
        self.locked(processor, &queue.lock, || self.receive_by_priority(queue))
    }

    /// `ini_pdq`: empty; who waits is told `E_DLT`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ini_pdq(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let queue = self.found(processor, of_number(self.objects().priority_queues, id))?;
        self.locked(processor, &queue.lock, || {
            for place in [queue.to_send(), queue.to_receive()] {
                self.wake_all(place, Err(Error::Deleted));
            }
            queue.empty();
        });
        Ok(())
    }

    /// `ref_pdq`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_pdq(&self, id: i32) -> Result<PriorityQueueStatus> {
        let (processor, _) = self.enter_task()?;
        let queue = self.found(processor, of_number(self.objects().priority_queues, id))?;
        let status = self.locked(processor, &queue.lock, || queue.status());
        Ok(status)
    }

    fn send_by_priority(&self, queue: &'static PriorityQueue, data: usize, level: u16) -> Result {
        if let Some(receiver) = queue.receivers.take_first() {
            receiver.waits.data.set(data);
            receiver.waits.more.set(u32::from(level));
            self.wake(receiver, Ok(()));
            return Ok(());
        }
        queue.put(data, level).ok_or(Error::Timeout)
    }

    fn receive_by_priority(&self, queue: &'static PriorityQueue) -> Result<(usize, i32)> {
        let taken = queue.take().map(|(data, level)| (data, i32::from(level) + 1));
        if let Some(sender) = queue.senders.take_first() {
            let (data, level) = (sender.waits.data.get(), sender.waits.more.get());
            self.wake(sender, Ok(()));
            if taken.is_none() {
                return Ok((data, level as i32 + 1));
            }
            queue.put(data, level as u16);
        }
        taken.ok_or(Error::Timeout)
    }
}
