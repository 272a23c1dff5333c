//! Fields of objects that are declared once and changed by several processors.
//!
//! Each is guarded by the lock that its object names; the order of accesses comes from that lock, so that these are
//! relaxed, and cost what a plain load or store costs. They are atomic so that a look without the lock, which some
//! calls take before they know which lock is theirs, reads an old value at worst.

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicUsize};

#[cfg(feature = "check")]
use crate::access::access;

#[cfg(not(feature = "check"))]
#[inline(always)]
const fn access() {}

macro_rules! field {
    ($name:ident, $atomic:ident, $plain:ty) => {
        #[derive(Debug)]
        pub(crate) struct $name($atomic);

        #[allow(dead_code)]
        impl $name {
            pub(crate) const fn new(value: $plain) -> Self {
                Self($atomic::new(value))
            }

            #[inline(always)]
            pub(crate) fn get(&self) -> $plain {
                access();
                self.0.load(Relaxed)
            }

            #[inline(always)]
            pub(crate) fn set(&self, value: $plain) {
                access();
                self.0.store(value, Relaxed);
            }
        }
    };
}

field!(Byte, AtomicU8, u8);
field!(Half, AtomicU16, u16);
field!(Word, AtomicU32, u32);
#[cfg(target_has_atomic = "64")]
field!(Long, AtomicU64, u64);
field!(Size, AtomicUsize, usize);

/// In two halves where the machine has no more: who reads it without the lock is told nothing that it may rely on.
#[cfg(not(target_has_atomic = "64"))]
#[derive(Debug)]
pub(crate) struct Long([AtomicU32; 2]);

#[cfg(not(target_has_atomic = "64"))]
impl Long {
    pub(crate) const fn new(value: u64) -> Self {
        Self([AtomicU32::new(value as u32), AtomicU32::new((value >> 32) as u32)])
    }

    pub(crate) fn get(&self) -> u64 {
        u64::from(self.0[1].load(Relaxed)) << 32 | u64::from(self.0[0].load(Relaxed))
    }

    pub(crate) fn set(&self, value: u64) {
        self.0[0].store(value as u32, Relaxed);
        self.0[1].store((value >> 32) as u32, Relaxed);
    }
}

/// Leads to an object, or to none.
#[derive(Debug)]
pub(crate) struct Link<T: 'static>(AtomicPtr<T>);

impl<T: Sync + 'static> Link<T> {
    pub(crate) const fn none() -> Self {
        Self(AtomicPtr::new(core::ptr::null_mut()))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&'static T> {
        access();
        // SAFETY: `set` is the only writer, and what it writes is null or comes from a reference that is good for ever.
        // Nobody makes a `&mut T` of it: the pointer is only ever read as a shared reference.
        #[allow(unsafe_code)]
        unsafe {
            self.0.load(Relaxed).as_ref()
        }
    }

    #[inline(always)]
    pub(crate) fn set(&self, to: Option<&'static T>) {
        access();
        self.0.store(to.map_or(core::ptr::null_mut(), |to| core::ptr::from_ref(to).cast_mut()), Relaxed);
    }

    /// Whether both lead to the same, or to none.
    #[inline(always)]
    pub(crate) fn leads_as(&self, other: &Link<T>) -> bool {
        access();
        core::ptr::eq(self.0.load(Relaxed), other.0.load(Relaxed))
    }

    /// Whether it leads to this one.
    #[inline(always)]
    pub(crate) fn is(&self, other: &T) -> bool {
        access();
        core::ptr::eq(self.0.load(Relaxed), other)
    }
}
