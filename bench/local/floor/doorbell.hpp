// The least that wakes a blocked thread on Linux: a futex or an eventfd.
#ifndef TOKKYU_LOCAL_DOORBELL_HPP
#define TOKKYU_LOCAL_DOORBELL_HPP

#include <atomic>
#include <cstdint>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.hpp"

namespace local {

// Between threads (FUTEX_PRIVATE_FLAG) the kernel finds the futex by its address, between processes by its page.
template <int FLAGS> class FutexBell {
public:
    void ring() noexcept
    {
        rings_.fetch_add(1, std::memory_order_release);
        syscall(SYS_futex, &rings_, FUTEX_WAKE | FLAGS, 1, nullptr, nullptr, 0);
    }

    // Waits for a ring after the last one that was heard.
    void wait() noexcept
    {
        while (rings_.load(std::memory_order_acquire) == heard_)
            syscall(SYS_futex, &rings_, FUTEX_WAIT | FLAGS, heard_, nullptr, nullptr, 0);
        heard_++;
    }

private:
    std::atomic<std::uint32_t> rings_{0};
    // The reader's own.
    std::uint32_t heard_ = 0;
};

using ThreadBell = FutexBell<FUTEX_PRIVATE_FLAG>;
using ProcessBell = FutexBell<0>;

class EventBell {
public:
    EventBell() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE))
    {
        if (descriptor_ < 0)
            throw system_failure("eventfd");
    }
    ~EventBell() { close(descriptor_); }
    EventBell(const EventBell &) = delete;
    EventBell &operator=(const EventBell &) = delete;

    void ring() { eventfd_write(descriptor_, 1); }

    void wait()
    {
        eventfd_t rings;
        while (eventfd_read(descriptor_, &rings) != 0)
            ;
    }

private:
    const int descriptor_;
};

} // namespace local
#endif
