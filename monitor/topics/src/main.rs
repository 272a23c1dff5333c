//! Topics of the RTOS beside this Linux, from a shell: what there are, what comes, and to send.

#[cfg(target_os = "linux")]
mod program;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    return program::run();
    #[cfg(not(target_os = "linux"))]
    std::process::ExitCode::from(2)
}
