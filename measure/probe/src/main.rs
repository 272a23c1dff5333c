//! One program for both ends of a measurement; what it does is in the library.

fn main() -> std::process::ExitCode {
    tokkyu_probe::program::run(std::env::args())
}
