//! How a program ends: what is wrong ends the board, `exit` the program's task alone.

use core::time::Duration;

use tokkyu_callbacks::port::port;

#[unsafe(no_mangle)]
extern "C" fn abort() -> ! {
    panic!("a C++ program was aborted: an exception that nobody catches?");
}

/// Its task is kept, for ever asleep: what it has made stays, as its destructors are not called.
#[unsafe(no_mangle)]
extern "C" fn exit(_: i32) -> ! {
    loop {
        port().sleep_until(port().now() + Duration::from_secs(3600));
    }
}

#[unsafe(no_mangle)]
extern "C" fn _exit(code: i32) -> ! {
    exit(code)
}

/// What is to be destroyed when the program ends: it does not.
#[unsafe(no_mangle)]
extern "C" fn __cxa_atexit(_: extern "C" fn(*mut u8), _: *mut u8, _: *mut u8) -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn atexit(_: extern "C" fn()) -> i32 {
    0
}
