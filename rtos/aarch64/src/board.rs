//! What the kernel asks of a machine, asked of this one.

use core::arch::asm;
use core::ops::Range;

use tokkyu_rtos::{Call, Handler, Kernel, Lock, Objects, Port, Processor, Saved, Task};

use crate::context::{go, go_from_idle, switch};
use crate::exception::{Exception, Verdict};
use crate::line::Line;
use crate::secure::{SECURE, idle_beside_linux};
use crate::stack::{StackRange, handler_stack};
use crate::trace::Kind;
use crate::{budget, clock, extended, gic, here, trace};

/// What there is, and what tasks and handlers do.
///
/// What there is are functions and no constants, which may not name what changes. Inlined, they cost as much.
pub trait Programs: Sync + 'static {
    /// Whether tasks have floating-point registers and thread-local variables (RTA-15, RTA-16). Where they have not, nothing is spent on it.
    const EXTENDED: bool = false;

    /// Always the same.
    fn objects(&self) -> Objects;

    /// Whether what happens is written down (RTA-50). Where it is not, nothing is spent on it.
    const TRACED: bool = false;

    /// Whether Linux's memory is mapped, in an image beside it (RTA-66).
    const SEES_LINUX: bool = false;

    /// One for each task, in the order of their numbers.
    fn stacks(&self) -> &'static [StackRange];

    /// Interrupt lines.
    fn lines(&self) -> &'static [Line] {
        &[]
    }

    /// A task of this number begins; it ends when this returns.
    fn task(&self, id: i32);

    /// A notification's handler.
    fn handler(&self, _handler: Handler) {}

    /// A line's handler.
    fn line(&self, _number: u32) {}

    /// An exception of a task, outside of the kernel's calls (RTA-42): a handler on the processor's own stack, with interrupts masked, which
    /// calls that handlers may make let in.
    fn exception(&self, _exception: &mut Exception<'_>) -> Verdict {
        Verdict::EndSystem
    }

    /// Memory beside the image that is mapped as data: whole 2 MiB in the machine's first GiB.
    fn memory(&self) -> &'static [Range<usize>] {
        &[]
    }

    /// Microseconds, where it is another clock than the machine's.
    #[inline(always)]
    fn now_us(&self) -> u64 {
        clock::now_us()
    }

    /// Has this processor's timer interrupt it, by the same clock.
    #[inline(always)]
    fn set_timer(&self, at_us: Option<u64>) {
        clock::set(at_us);
    }

    /// A task was activated.
    #[inline(always)]
    fn activated(&self, _id: i32) {}

    /// This processor's interrupts are masked from here on, perhaps were already. For who counts.
    #[inline(always)]
    fn masked(&self) {}

    /// They are not masked from here on, or need not be for what follows.
    #[inline(always)]
    fn unmasked(&self) {}

    /// A lock of the kernel's is another processor's.
    #[inline(always)]
    fn waited(&self) {}

    /// Somebody tries to get a spin lock that another has.
    fn relax(&self) {}

    /// Initialization routines: before any task runs.
    fn initialize(&self) {}

    /// Termination routines: after the last has.
    fn terminate(&self) {}
}

/// The machine, with its programs.
#[derive(Debug)]
pub struct Board<P> {
    programs: P,
}

unsafe extern "C" {
    fn tokkyu_begin() -> !;
    fn tokkyu_idle_entry() -> !;
}

impl<P: Programs> Board<P> {
    /// With these.
    pub const fn new(programs: P) -> Self {
        Board { programs }
    }

    /// Its programs.
    pub fn programs(&self) -> &P {
        &self.programs
    }

    pub(crate) fn lines(&self) -> &'static [Line] {
        self.programs.lines()
    }

    /// Pages that nobody can touch.
    pub(crate) fn guards(&self) -> impl Iterator<Item = Range<usize>> {
        self.programs.stacks().iter().map(StackRange::guard)
    }

    /// Has each task know its stack. `None` if one has none.
    pub(crate) fn give_stacks(&self) -> Option<()> {
        let stacks = self.programs.stacks();
        let above = if P::EXTENDED { extended::bytes() } else { 0 };
        for (index, task) in self.objects().tasks.iter().enumerate() {
            task.saved().set_top(stacks.get(index)?.top() - above);
        }
        Some(())
    }

    /// Number of the task below whose stack an address is.
    pub(crate) fn guarded(&self, address: usize) -> Option<usize> {
        self.programs
            .stacks()
            .iter()
            .position(|stack| stack.guard().contains(&address))
            .map(|index| index + 1)
    }

    /// This processor, if it has a line of this number.
    fn own_line(&self, number: u32) -> Option<usize> {
        let here = self.here().index();
        let own = |line: &Line| line.number == number && usize::from(line.processor) == here + 1;
        self.lines().iter().any(own).then_some(here)
    }

    /// Something of the programs' begins, or has ended, which they have a number for: it is written down where the system declares that (RTA-50).
    pub fn says(&self, number: u32, has_ended: bool) {
        if !P::TRACED {
            return;
        }
        let flags: u64;
        // SAFETY: the flags are put back below. Nobody else writes to this processor's ring, and the task stays on it.
        unsafe { asm!("mrs {}, daif", "msr daifset, #2", out(reg) flags, options(nostack)) };
        let kind = if has_ended { Kind::Ends } else { Kind::Begins };
        trace::record(self.here().index(), kind, 0, number);
        // SAFETY: as they were.
        unsafe { asm!("msr daif, {}", in(reg) flags, options(nostack)) };
    }

    #[inline(always)]
    fn trace_switch(&self, to: Option<&'static Task>) {
        if P::TRACED {
            trace::record(self.here().index(), Kind::Switch, 0, to.map_or(0, |to| to.id() as u32));
        }
    }

    fn saved(&self, task: Option<&'static Task>) -> &'static Saved {
        match task {
            Some(task) => task.saved(),
            None => self.here().idle(),
        }
    }
}

/// What a processor does once it is up, on its own stack.
pub fn start<P: Programs>(kernel: &'static Kernel<Board<P>>) -> ! {
    // There are as many as were switched on.
    if let Some(processor) = kernel.objects().processors.get(here::index()) {
        here::stand_for(processor);
    }
    let saved = kernel.port.here().idle();
    saved.set_top(handler_stack(here::index()));
    saved.begin_at(tokkyu_idle_entry as *const () as usize);
    kernel.start();
    kernel.port.mask();
    idle(kernel)
}

/// What a processor does when the last task here has gone to rest, on its own stack and with interrupts masked.
pub fn rest<P: Programs>(kernel: &'static Kernel<Board<P>>) -> ! {
    kernel.idle();
    idle(kernel)
}

/// An interrupt ends the wait though it is masked, and is handled like a call: there is nothing to be kept.
fn idle<P: Programs>(kernel: &'static Kernel<Board<P>>) -> ! {
    if SECURE {
        kernel.port.programs.unmasked();
        // SAFETY: the stack is this processor's own, and nothing on it is needed any more.
        unsafe { idle_beside_linux(handler_stack(here::index())) }
    }
    loop {
        kernel.port.programs.unmasked();
        aarch64_cpu::asm::wfi();
        interrupt(kernel);
        kernel.leave_interrupt();
    }
}

/// What a task begins with.
pub fn begin<P: Programs>(kernel: &'static Kernel<Board<P>>) -> ! {
    kernel.begin()
}

/// An interrupt, on the processor's own stack.
#[inline]
pub fn interrupt<P: Programs>(kernel: &'static Kernel<Board<P>>) {
    kernel.port.programs.masked();
    let id = gic::acknowledge();
    kernel.enter_interrupt();
    if P::TRACED && id < gic::NONE {
        trace::record(kernel.port.here().index(), Kind::Interrupt, 0, id);
    }
    match id {
        gic::CALL => kernel.on_call(),
        gic::TIMER => kernel.on_timer(),
        gic::NONE.. => return,
        _ => {
            kernel.port.unmask();
            kernel.port.programs.line(id);
            kernel.port.mask();
        }
    }
    gic::end(id);
    if P::TRACED {
        trace::record(kernel.port.here().index(), Kind::End, 0, id);
    }
}

/// Its end, on the stack of what was interrupted.
#[inline]
pub fn leave<P: Programs>(kernel: &'static Kernel<Board<P>>) {
    kernel.leave_interrupt();
    kernel.port.programs.unmasked();
}

impl<P: Programs> Port for Board<P> {
    #[inline(always)]
    fn objects(&self) -> Objects {
        // Only the monitor of an image beside Linux gives any (RTA-67).
        Objects { budgets: crate::secure::SECURE, ..self.programs.objects() }
    }

    #[inline(always)]
    fn here(&self) -> &'static Processor {
        let here: *const Processor;
        // SAFETY: it is written once for each processor, before it asks (here.rs), and is one of the system's, which are for ever.
        // Not `pure`: a task may be elsewhere after it has waited.
        unsafe {
            asm!("mrs {}, tpidr_el1", out(reg) here, options(nomem, nostack, preserves_flags));
            &*here
        }
    }

    #[inline(always)]
    fn mask(&self) {
        // SAFETY: IRQ. Without `nomem`, so that no access is moved before it.
        unsafe { asm!("msr daifset, #2", options(nostack, preserves_flags)) };
        self.programs.masked();
    }

    #[inline(always)]
    fn unmask(&self) {
        self.programs.unmasked();
        // SAFETY: as above.
        unsafe { asm!("msr daifclr, #2", options(nostack, preserves_flags)) };
    }

    #[inline(always)]
    fn take(&self, lock: &'static Lock) {
        while !lock.try_take() {
            self.programs.waited();
            wait_for(lock);
        }
    }

    fn relax(&self) {
        self.programs.relax();
        here::give_way();
    }

    #[inline(always)]
    fn switch(&self, from: Option<&'static Task>, to: Option<&'static Task>) {
        self.trace_switch(to);
        if P::EXTENDED {
            extended::switch(from, to);
        }
        let to = self.saved(to);
        match from {
            // SAFETY: `to` is a context that nobody runs: who keeps it holds its processor's lock until it is kept (RTK-33).
            Some(from) => unsafe { switch(from.saved(), to) },
            // SAFETY: as above, and the idle context has nothing to be kept (RTA-14).
            None => unsafe { go_from_idle(to, self.here().idle().top()) },
        }
    }

    #[inline(always)]
    fn abandon(&self, to: Option<&'static Task>) -> ! {
        self.trace_switch(to);
        if P::EXTENDED {
            extended::switch(None, to);
        }
        // SAFETY: as above.
        unsafe { go(self.saved(to)) }
    }

    #[inline(always)]
    fn discard(&self, _task: &'static Task) {
        // Where it went on, which the next activation writes anew.
    }

    #[inline(always)]
    fn activated(&self, task: &'static Task) {
        task.saved().begin_at(tokkyu_begin as *const () as usize);
        self.programs.activated(task.id());
    }

    fn initialize(&self) {
        self.programs.initialize();
    }

    fn terminate(&self) {
        self.programs.terminate();
    }

    #[inline(always)]
    fn called(&self, call: Call, id: i32) {
        if P::TRACED {
            trace::called(self.here().index(), call, id);
        }
    }

    #[inline(always)]
    fn run(&self, task: &'static Task) {
        if P::EXTENDED {
            extended::begin(task);
        }
        self.programs.task(task.id());
    }

    #[inline]
    fn handle(&self, handler: Handler) {
        if let Handler::BudgetOver(processor) = handler {
            budget::count(processor);
        }
        self.unmask();
        self.programs.handler(handler);
        self.mask();
    }

    #[inline(always)]
    fn call(&self, processor: usize) {
        gic::call(processor);
    }

    #[inline]
    fn now_us(&self) -> u64 {
        self.programs.now_us()
    }

    #[inline]
    fn set_timer(&self, at_us: Option<u64>) {
        self.programs.set_timer(at_us);
    }

    fn set_priority_mask(&self, priority: i32) {
        gic::set_mask(priority);
    }

    fn enable_interrupt(&self, number: u32, enabled: bool) -> bool {
        self.own_line(number).map(|here| gic::enable(here, number, enabled)).is_some()
    }

    fn pend_interrupt(&self, number: u32, pending: bool) -> bool {
        let change = if pending { gic::raise } else { gic::clear };
        self.own_line(number).map(|here| change(here, number)).is_some()
    }

    fn is_interrupt_pending(&self, number: u32) -> Option<bool> {
        self.own_line(number).map(|here| gic::is_pending(here, number))
    }
}

/// Until it may be free: the processor rests until somebody writes there.
#[cold]
fn wait_for(lock: &'static Lock) {
    // SAFETY: reads a byte that is there. The exclusive read arms the monitor, whose clearing by the one who lets go is the event.
    unsafe {
        asm!(
            "sevl",
            "2: wfe",
            "ldaxrb {free:w}, [{flag}]",
            "cbnz {free:w}, 2b",
            flag = in(reg) lock.flag(),
            free = out(reg) _,
            options(nostack),
        );
    }
}
