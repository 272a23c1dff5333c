// A process made of this one by fork, before any library has made a thread (LOCAL-20).
#ifndef TOKKYU_LOCAL_CHILD_HPP
#define TOKKYU_LOCAL_CHILD_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <sys/types.h>

namespace local {

class Child {
public:
    // What the child calls when it can do what it was made for.
    using TellReady = std::function<void()>;

    // Runs `body` in a new process, which ends with exit code 0, or 1 and a line on standard error after a Failure.
    // The body is to end after END_SIGNAL, which also comes when this process is gone.
    explicit Child(const std::function<void(const TellReady &)> &body);
    // Ends it.
    ~Child();
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    bool is_ready() const;

    // Waits for that; false if the child ends before it, or the time is up.
    bool wait_until_ready(std::uint64_t most_ns);

    // Tells it to end, and waits. True if it ended in order, of itself and with exit code 0.
    bool end();

private:
    bool take_status(int options);
    bool has_ended();

    // Shared with the child.
    std::atomic<bool> *const is_ready_;
    const pid_t parent_;
    pid_t pid_ = -1;
    bool ended_in_order_ = false;
};

} // namespace local
#endif
