//! Calls about data queues: `snd_dtq`, `psnd_dtq`, `tsnd_dtq`, `fsnd_dtq`, `rcv_dtq`, `prcv_dtq`, `trcv_dtq`, `ini_dtq`, `ref_dtq`.

use crate::call::Call;
use crate::dataqueue::{DataQueue, DataQueueStatus};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Timeout};
use crate::objects::of_number;
use crate::port::Port;
use crate::processor::Processor;
use crate::task::Wait;

impl<P: Port> Kernel<P> {
    /// `snd_dtq`: puts a word at the end, or hands it to who waits for one; waits where there is no room.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_RLWAI`, `E_DLT`.
    #[inline]
    pub fn snd_dtq(&self, id: i32, data: usize) -> Result {
        self.tsnd_dtq(id, data, Timeout::Forever)
    }

    /// `tsnd_dtq`: the same for a time.
    ///
    /// # Errors
    /// As [`snd_dtq`](Self::snd_dtq); `E_PAR`, `E_TMOUT`.
    #[inline]
    pub fn tsnd_dtq(&self, id: i32, data: usize, timeout: Timeout) -> Result {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TsndDtq, id);
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        self.may_wait(processor, task, timeout)?;
        self.lock(&queue.lock);
        if self.hand_on(processor, queue, data) {
            return Ok(());
        }
        let sent = store(queue, data);
        if sent.is_err() && timeout != Timeout::Poll {
            task.waits.data.set(data);
            return self.wait(
                (processor, task),
                Wait::SendDataQueue(id as u16),
                Some(queue.to_send()),
                timeout,
            );
        }
        self.unlock(&queue.lock);
        self.leave(processor);
        sent
    }

    /// `psnd_dtq`: the same without waiting; handlers may too.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_TMOUT`.
    #[inline]
    pub fn psnd_dtq(&self, id: i32, data: usize) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::PsndDtq, id);
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        self.lock(&queue.lock);
        if self.hand_on(processor, queue, data) {
            return Ok(());
        }
        let sent = store(queue, data);
        self.unlock(&queue.lock);
        self.leave(processor);
        sent
    }

    /// `fsnd_dtq`: the same; where there is no room the oldest word makes it.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`; `E_ILUSE`: the queue has no cells.
    pub fn fsnd_dtq(&self, id: i32, data: usize) -> Result {
        let processor = self.enter()?;
        self.port.called(Call::FsndDtq, id);
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        self.require(processor, !queue.cells.is_empty(), Error::IllegalUse)?;
        self.lock(&queue.lock);
        if self.hand_on(processor, queue, data) {
            return Ok(());
        }
        if queue.is_full() {
            queue.take();
        }
        queue.put(data);
        self.unlock(&queue.lock);
        self.leave(processor);
        Ok(())
    }

    /// `rcv_dtq`: takes the first word; waits where there is none.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_RLWAI`, `E_DLT`.
    #[inline]
    pub fn rcv_dtq(&self, id: i32) -> Result<usize> {
        self.trcv_dtq(id, Timeout::Forever)
    }

    /// `trcv_dtq`: the same for a time.
    ///
    /// # Errors
    /// As [`rcv_dtq`](Self::rcv_dtq); `E_PAR`, `E_TMOUT`.
    #[inline]
    pub fn trcv_dtq(&self, id: i32, timeout: Timeout) -> Result<usize> {
        let (processor, task) = self.enter_waiting()?;
        self.port.called(Call::TrcvDtq, id);
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        self.may_wait(processor, task, timeout)?;
        self.lock(&queue.lock);
        let received = self.receive(queue);
        if received.is_err() && timeout != Timeout::Poll {
            self.wait(
                (processor, task),
                Wait::ReceiveDataQueue(id as u16),
                Some(queue.to_receive()),
                timeout,
            )?;
            return Ok(task.waits.data.get());
        }
        self.unlock(&queue.lock);
        self.leave(processor);
        received
    }

    /// `prcv_dtq`: the same without waiting.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`, `E_TMOUT`.
    pub fn prcv_dtq(&self, id: i32) -> Result<usize> {
        let (processor, _) = self.enter_task()?;
        self.port.called(Call::PrcvDtq, id);
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        self.locked(processor, &queue.lock, || self.receive(queue))
    }

    /// `ini_dtq`: empty; who waits is told `E_DLT`.
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ini_dtq(&self, id: i32) -> Result {
        let (processor, _) = self.enter_task()?;
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        self.locked(processor, &queue.lock, || {
            for place in [queue.to_send(), queue.to_receive()] {
                self.wake_all(place, Err(Error::Deleted));
            }
            queue.head.set(0);
            queue.count.set(0);
        });
        Ok(())
    }

    /// `ref_dtq`
    ///
    /// # Errors
    /// `E_CTX`, `E_ID`.
    pub fn ref_dtq(&self, id: i32) -> Result<DataQueueStatus> {
        let (processor, _) = self.enter_task()?;
        let queue = self.found(processor, of_number(self.objects().data_queues, id))?;
        let status = self.locked(processor, &queue.lock, || queue.status());
        Ok(status)
    }

    /// Gives a word to who waits for one, which ends the call; `false`, and nothing done, where nobody does.
    #[inline(always)]
    fn hand_on(&self, processor: &'static Processor, queue: &'static DataQueue, data: usize) -> bool {
        let Some(receiver) = queue.receivers.take_first() else { return false };
        receiver.waits.data.set(data);
        self.hand_to(processor, &queue.lock, receiver);
        true
    }

    /// The first word, and room for the first that waits to send; `E_TMOUT` where there is none.
    #[inline]
    fn receive(&self, queue: &'static DataQueue) -> Result<usize> {
        let taken = queue.take();
        if let Some(sender) = queue.senders.take_first() {
            let data = sender.waits.data.get();
            self.wake(sender, Ok(()));
            match taken {
                Some(_) => queue.put(data),
                None => return Ok(data),
            }
        }
        taken.ok_or(Error::Timeout)
    }
}

/// Into the queue; `E_TMOUT` where there is no room.
#[inline(always)]
fn store(queue: &DataQueue, data: usize) -> Result {
    if queue.is_full() {
        return Err(Error::Timeout);
    }
    queue.put(data);
    Ok(())
}
