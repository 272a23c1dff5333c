//! Where the unwinder finds how frames are laid out: glibc's interface, which GCC's library asks.

unsafe extern "C" {
    static eh_frame_hdr_begin: u8;
    static text_begin: u8;
    static text_end: u8;
}

/// `struct dl_find_object`
#[repr(C)]
struct Found {
    flags: u64,
    begin: *const u8,
    end: *const u8,
    link_map: *const u8,
    /// The header of `.eh_frame`.
    frames: *const u8,
    reserved: [u64; 7],
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _dl_find_object(address: *const u8, found: *mut Found) -> i32 {
    let (begin, end) = (&raw const text_begin, &raw const text_end);
    if address < begin || address >= end {
        return -1;
    }
    let frames = &raw const eh_frame_hdr_begin;
    let object = Found { flags: 0, begin, end, link_map: core::ptr::null(), frames, reserved: [0; 7] };
    // SAFETY: room for one.
    unsafe { found.write(object) };
    0
}
