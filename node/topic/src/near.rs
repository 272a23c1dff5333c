//! Asking for cache lines before they are needed (NODE-24).
//!
//! A processor that has slept, or whose thread was away, has little of what comes next in its caches. One line after the other is waited for, unless
//! all are asked for at once. To ask changes nothing and never fails, whatever the address is.

use crate::lines::LINE;

/// Places that are asked for together, when it is time.
///
/// ```
/// use tokkyu_topic::Near;
///
/// let mut near = Near::default();
/// let big = [0_u8; 200];
/// near.add(&big);
/// near.ask();
/// ```
pub struct Near {
    places: [Place; Near::MOST],
    count: usize,
}

// SAFETY: nothing that an address stands for is looked at.
unsafe impl Send for Near {}

#[derive(Clone, Copy)]
struct Place {
    at: *const u8,
    lines: u16,
    is_to_write: bool,
}

impl Default for Near {
    fn default() -> Near {
        let nothing = Place { at: core::ptr::null(), lines: 0, is_to_write: false };
        Near { places: [nothing; Near::MOST], count: 0 }
    }
}

impl Near {
    /// Places at most; what is more is left out.
    pub const MOST: usize = 16;

    /// Nothing is asked for any more.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// What will be read.
    pub fn add<T: ?Sized>(&mut self, what: &T) {
        self.add_bytes(core::ptr::from_ref(what).cast(), size_of_val(what));
    }

    /// The same, as far as it is known where that is: instructions too.
    pub fn add_bytes(&mut self, at: *const u8, bytes: usize) {
        self.push(at, bytes, false);
    }

    /// What will be written, with all on its line: no other processor keeps it.
    pub fn add_to_write<T: ?Sized>(&mut self, what: &T) {
        self.push(core::ptr::from_ref(what).cast(), size_of_val(what), true);
    }

    fn push(&mut self, at: *const u8, bytes: usize, is_to_write: bool) {
        let Some(place) = self.places.get_mut(self.count) else { return };
        let into_line = at.addr() % LINE;
        let lines = (into_line + bytes).div_ceil(LINE).min(usize::from(u16::MAX)) as u16;
        *place = Place { at: at.wrapping_sub(into_line), lines, is_to_write };
        self.count += 1;
    }

    /// Asks for all of it. Nothing is waited for.
    #[inline]
    pub fn ask(&self) {
        for place in &self.places[..self.count] {
            for line in 0..usize::from(place.lines) {
                let at = place.at.wrapping_add(line * LINE);
                if place.is_to_write { ask_to_write(at) } else { ask_to_read(at) }
            }
        }
    }

    /// Lines that are asked for.
    pub fn lines(&self) -> usize {
        self.places[..self.count].iter().map(|place| usize::from(place.lines)).sum()
    }
}

#[inline]
fn ask_to_read(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: PREFETCHT0 reads nothing that a program could see, and has no faults.
    unsafe {
        core::arch::asm!("prefetcht0 [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above, of PRFM.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    // Other processors are left to themselves.
    let _ = at;
}

#[inline]
fn ask_to_write(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: PREFETCHW changes nothing that a program could see, and has no faults; where a processor of 64 bits does not have it, it does nothing.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above, of PRFM.
    unsafe {
        core::arch::asm!("prfm pstl1keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    let _ = at;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    struct Aligned([u8; 256]);

    fn lines_of(bytes: &[u8]) -> usize {
        let mut near = Near::default();
        near.add(bytes);
        near.lines()
    }

    #[test]
    fn every_line_that_is_touched_is_asked_for() {
        let aligned = Aligned([0; 256]);
        let found = [0..1, 0..64, 0..65, 63..64, 63..65, 1..130].map(|range| lines_of(&aligned.0[range]));
        assert_eq!(found, [1, 1, 2, 1, 2, 3]);
    }

    #[test]
    fn what_is_too_much_is_left_out() {
        let mut near = Near::default();
        (0..2 * Near::MOST as u64).for_each(|number| near.add(&number));
        assert_eq!(near.count, Near::MOST);
        near.clear();
        assert_eq!(near.lines(), 0);
    }

    /// Nothing of it is looked at: an address of nobody's does no harm.
    #[test]
    fn any_place_may_be_asked_for() {
        let mut near = Near::default();
        near.add_bytes(core::ptr::null(), 4096);
        near.add_bytes(core::ptr::without_provenance(usize::MAX), 1);
        let mut word = 7_u32;
        near.add_to_write(&word);
        near.ask();
        word += 1;
        assert_eq!(word, 8);
    }
}
