// fork, the signal that ends the child, and what becomes of it; see child.hpp.
//
// No exec: nothing but the harness has run before the fork, and there is one thread, so the child is as good as new. It
// ends with exit, as some libraries give back what they hold (sockets, shared memory) in destructors of static objects.
#include "child.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.hpp"
#include "failure.hpp"
#include "signals.hpp"

namespace local {
namespace {

// Longer than any library here takes to end in order; then it is killed.
constexpr std::uint64_t PATIENCE_NS = 10 * NS_PER_S;
constexpr std::uint64_t LOOK_EVERY_NS = 5 * NS_PER_MS;

std::atomic<bool> *shared_flag()
{
    void *page = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        throw system_failure("no shared memory for a second process");
    return new (page) std::atomic<bool>(false);
}

[[noreturn]] void run_body(const std::function<void(const Child::TellReady &)> &body, std::atomic<bool> &is_ready,
                           pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, END_SIGNAL, 0, 0, 0);
    // The parent may have gone before the line above.
    if (getppid() != parent)
        std::exit(1);
    try {
        body([&is_ready] { is_ready.store(true); });
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, failure.what());
        std::exit(1);
    }
    std::exit(0);
}

} // namespace

Child::Child(const std::function<void(const TellReady &)> &body) : is_ready_(shared_flag()), parent_(getpid())
{
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ < 0)
        throw system_failure("fork");
    if (pid_ == 0)
        run_body(body, *is_ready_, parent_);
}

Child::~Child()
{
    end();
    munmap(is_ready_, sizeof *is_ready_);
}

bool Child::is_ready() const
{
    return is_ready_->load();
}

bool Child::has_ended()
{
    return pid_ <= 0 || take_status(WNOHANG);
}

bool Child::wait_until_ready(std::uint64_t most_ns)
{
    const std::uint64_t give_up_ns = now_ns() + most_ns;
    while (!is_ready() && !has_ended() && now_ns() < give_up_ns)
        usleep(LOOK_EVERY_NS / NS_PER_US);
    return is_ready();
}

bool Child::take_status(int options)
{
    int status = 0;
    if (pid_ <= 0 || waitpid(pid_, &status, options) != pid_)
        return false;
    pid_ = -1;
    ended_in_order_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return true;
}

bool Child::end()
{
    // A copy of this object in a process that was made later.
    if (getpid() != parent_)
        return true;
    if (has_ended())
        return ended_in_order_;
    kill(pid_, END_SIGNAL);
    const std::uint64_t give_up_ns = now_ns() + PATIENCE_NS;
    while (!take_status(WNOHANG)) {
        if (now_ns() > give_up_ns) {
            kill(pid_, SIGKILL);
            take_status(0);
            return false;
        }
        usleep(LOOK_EVERY_NS / NS_PER_US);
    }
    return ended_in_order_;
}

} // namespace local
