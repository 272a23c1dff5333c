// Why a run could not be made: one line for standard error, with the remedy. Ends the program with exit code 1.
#ifndef TOKKYU_LOCAL_FAILURE_HPP
#define TOKKYU_LOCAL_FAILURE_HPP

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace local {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A system call that was refused, with what the kernel says; call it before errno changes.
inline Failure system_failure(const std::string &what)
{
    return Failure(what + ": " + std::strerror(errno));
}

} // namespace local
#endif
