//! A connection that a task waits for.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::net::Ipv4Addr;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};
use core::time::Duration;

use smoltcp::iface::SocketHandle;
use smoltcp::phy::Device;
use smoltcp::socket::tcp::Socket;
use smoltcp::wire::IpAddress;
use tokkyu_callbacks::port::{Clock, Ender, Patience, Stream};
use tokkyu_callbacks::sync::Mutex;
use tokkyu_contract::MonoTime;
use tokkyu_graph::Io;

use super::sockets::{is_connecting, read, write};
use super::stack::{Inner, Stack, instant};
use crate::system::{Rtos, System};

/// Until a service's node is reached.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct TaskStream<S: System> {
    port: Rtos<S>,
    stack: &'static Stack<S::Device>,
    handle: SocketHandle,
    patience: Mutex<Patience>,
    ender: Arc<TaskEnder<S>>,
}

struct TaskEnder<S: System> {
    stack: &'static Stack<S::Device>,
    is_ended: AtomicBool,
}

impl<S: System> Ender for TaskEnder<S> {
    fn end(&self) {
        self.is_ended.store(true, Release);
        // After those who have looked wait.
        drop(self.stack.lock());
        self.stack.moved.notify_all();
    }
}

impl<D: Device> Inner<D> {
    /// Begins to connect; nothing: there is no socket left, or no way.
    pub(super) fn begin(&mut self, address: Ipv4Addr, port: u16, now: MonoTime) -> Option<SocketHandle> {
        let handle = self.pool.take()?;
        let local = self.next_local();
        let remote = (IpAddress::Ipv4(address), port);
        let socket = self.pool.sockets.get_mut::<Socket<'_>>(handle);
        if socket.connect(self.interface.context(), remote, local).is_err() {
            self.pool.abort(handle, instant(now));
            return None;
        }
        Some(handle)
    }
}

impl<S: System> TaskStream<S> {
    pub(super) fn connect(
        port: Rtos<S>,
        stack: &'static Stack<S::Device>,
        address: Ipv4Addr,
        to: u16,
    ) -> Result<TaskStream<S>, String> {
        let handle = stack.lock().begin(address, to, port.now());
        let handle = handle.ok_or("all connections of this system are taken, or there is no way there")?;
        stack.kick(&port);
        let ender = Arc::new(TaskEnder { stack, is_ended: AtomicBool::new(false) });
        let stream = TaskStream { port, stack, handle, patience: Mutex::new(Some(PATIENCE)), ender };
        let is_made = stream.until(|inner| {
            let socket = inner.pool.get(stream.handle);
            (!is_connecting(socket)).then(|| socket.may_send())
        });
        match is_made {
            Ok(true) => {
                stack.lock().pool.get(stream.handle).set_nagle_enabled(false);
                *stream.patience.lock() = None;
                Ok(stream)
            }
            Ok(false) => Err(format!("{address}:{to} refuses the connection")),
            Err(error) => Err(format!("{address}:{to}: {error}")),
        }
    }

    /// Waits until `look` has something, as long as there is patience.
    fn until<T>(&self, mut look: impl FnMut(&mut Inner<S::Device>) -> Option<T>) -> Result<T, String> {
        let until = self.patience.lock().map(|patience| self.port.now() + patience);
        let mut inner = self.stack.lock();
        loop {
            if let Some(found) = look(&mut inner) {
                return Ok(found);
            }
            if self.ender.is_ended.load(Acquire) {
                return Err("the node ends".to_string());
            }
            if until.is_some_and(|until| until <= self.port.now()) {
                return Err("no answer in time".to_string());
            }
            inner = self.stack.moved.wait_until(inner, until);
        }
    }

    fn io(&self, mut act: impl FnMut(&mut Inner<S::Device>) -> Io) -> Result<usize, String> {
        let done = self.until(|inner| match act(inner) {
            Io::Done(count) => Some(Some(count)),
            Io::Later => None,
            Io::Over => Some(None),
        })?;
        self.stack.kick(&self.port);
        Ok(done.unwrap_or(0))
    }
}

impl<S: System> Stream for TaskStream<S> {
    fn set_patience(&self, patience: Patience) -> Result<(), String> {
        *self.patience.lock() = patience;
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.stack.lock().pool.get(self.handle).may_recv()
    }

    fn ender(&self) -> Result<Arc<dyn Ender>, String> {
        Ok(self.ender.clone())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.io(|inner| write(inner.pool.get(self.handle), [rest, &[]]))? {
                0 => return Err("the other end has closed the connection".to_string()),
                count => rest = &rest[count..],
            }
        }
        Ok(())
    }

    fn read(&mut self, into: &mut [u8]) -> Result<usize, String> {
        self.io(|inner| read(inner.pool.get(self.handle), into))
    }
}

impl<S: System> Drop for TaskStream<S> {
    fn drop(&mut self) {
        self.stack.lock().pool.close(self.handle, instant(self.port.now()));
        self.stack.kick(&self.port);
    }
}
