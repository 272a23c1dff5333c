// What a callback has to tell whoever calls it: callbacks are called through C, which no exception may cross.
#pragma once
#include <exception>
#include <tokkyu/node.h>
#include <utility>

namespace ros {
namespace detail {

// One that calls a queue's callbacks, in the thread that made it. One may be made within a callback of another.
class Calling {
public:
    explicit Calling(const tk_queue *queue) : queue_(queue), above_(current()) { current() = this; }
    ~Calling() { current() = above_; }
    Calling(const Calling &) = delete;
    Calling &operator=(const Calling &) = delete;

    // Throws what left a callback.
    void rethrow()
    {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
    bool is_to_try_again() const { return is_to_try_again_; }

    // In a callback: it was not called, and is to be called again.
    static void try_again()
    {
        if (current() != nullptr) current()->is_to_try_again_ = true;
    }

    // Calls what the program wrote. Whoever called the queue is given what it throws, before the next callback is called. In a thread of the
    // node (classes control and realtime) there is nobody: it ends the program, as in any thread.
    template <typename Act> static void guard(const Act &act)
    {
        Calling *const calling = current();
        if (calling == nullptr) return unguarded(act);
        try {
            act();
        } catch (...) {
            calling->thrown_ = std::current_exception();
            tk_queue_wake(calling->queue_);
        }
    }

private:
    template <typename Act> static void unguarded(const Act &act) noexcept { act(); }

    static Calling *&current()
    {
        static thread_local Calling *calling = nullptr;
        return calling;
    }

    const tk_queue *const queue_;
    Calling *const above_;
    std::exception_ptr thrown_;
    bool is_to_try_again_ = false;
};

} // namespace detail
} // namespace ros
