//! What boards of one kind of processor have in common: which QEMU runs them, with which machine, console and firmware.

/// The processor of a board, and what goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// PCs: QEMU's machine `pc`, its first serial port the console, an ISA port for what boards keep.
    X86_64,
}

impl Architecture {
    /// QEMU's program.
    pub(super) const fn qemu(self) -> &'static str {
        match self {
            Architecture::X86_64 => "qemu-system-x86_64",
        }
    }

    /// Debian's package that brings it.
    pub(super) const fn package(self) -> &'static str {
        match self {
            Architecture::X86_64 => "qemu-system-x86",
        }
    }

    /// Folders of firmware beside a QEMU of our own.
    pub(super) const fn firmware(self) -> &'static [&'static str] {
        match self {
            Architecture::X86_64 => &["qemu", "seabios"],
        }
    }

    /// Options that name a machine, where QEMU's default is another.
    pub(super) const fn machine(self) -> &'static [&'static str] {
        match self {
            Architecture::X86_64 => &[],
        }
    }

    /// The device that takes what a board keeps, byte by byte.
    pub(super) fn keeper(self, port: u16) -> String {
        match self {
            Architecture::X86_64 => format!("isa-debugcon,chardev=kept,iobase={port}"),
        }
    }

    /// Arguments of every kernel: where its console is.
    pub(super) const fn console(self) -> &'static str {
        match self {
            Architecture::X86_64 => "console=ttyS0",
        }
    }

    /// Arguments of a kernel whose time is counted: its clock is the one that counts.
    pub(super) const fn counted(self) -> &'static str {
        match self {
            Architecture::X86_64 => "tsc=reliable clocksource=tsc",
        }
    }
}
