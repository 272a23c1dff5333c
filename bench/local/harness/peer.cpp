// The life of a peer's program.
//
//   options --> prepare --> receiver --> sender --> matched --> tick, fill, stamp, publish ... --> records --> end
//                           (second       |             |               |                             ^
//                            process)     +-- failed ---+------ 1       +-- SIGINT, SIGTERM ----- 130 -+
//
// The main thread publishes. It sleeps to the tick, so that the processor is as idle or as busy as for a program with
// a period, and fills the payload then, as a program does whose data have just come. Nothing is written meanwhile.
#include "peer.hpp"

#include <cstdio>
#include <functional>
#include <optional>

#include "child.hpp"
#include "clock.hpp"
#include "payload.hpp"
#include "scheduling.hpp"
#include "signals.hpp"

namespace local {
namespace {

enum ExitCode { RUN_MADE = 0, NOT_MADE = 1, USAGE = 2, INTERRUPTED = 130 };

// Discovery of two ends on one machine takes less than a second where it works (LOCAL-21).
constexpr std::uint64_t MEETING_NS = 15 * NS_PER_S;
constexpr std::uint64_t LOOK_EVERY_NS = 5 * NS_PER_MS;

struct Interrupted {};

// The receiver of a run: in a second process, or in this one.
class ReceivingEnd {
public:
    ReceivingEnd(Peer &peer, const Options &options, Board &board)
    {
        if (peer.description().processes == 1)
            receiver_ = peer.open_receiver(options, board);
        else
            child_.emplace([&](const Child::TellReady &ready) { receive(peer, options, board, ready); });
    }

    bool is_ready() { return receiver_ ? receiver_->is_matched() : child_->is_ready(); }

    void end()
    {
        receiver_.reset();
        if (child_ && !child_->end())
            throw Failure("the receiving process did not end in order (its words stand above, if it had any)");
    }

private:
    // The second process.
    static void receive(Peer &peer, const Options &options, Board &board, const Child::TellReady &tell_ready)
    {
        ask_scheduling(options.priority);
        const auto receiver = peer.open_receiver(options, board);
        while (!receiver->is_matched())
            if (wait_for_end_until(now_ns() + LOOK_EVERY_NS) == Woken::TOLD_TO_END)
                return;
        const Apart apart(Apart::Who::RECEIVING);
        tell_ready();
        while (wait_for_end_until(now_ns() + NS_PER_S) != Woken::TOLD_TO_END)
            ;
    }

    std::unique_ptr<Receiver> receiver_;
    std::optional<Child> child_;
};

// The main thread's only way to wait.
void wait(std::uint64_t when_ns)
{
    switch (wait_until(when_ns)) {
    case Woken::INTERRUPTED: throw Interrupted();
    case Woken::CHILD_ENDED: throw Failure("a process that belongs to the run ended before it");
    default: return;
    }
}

void meet(ReceivingEnd &receiving, Sender &sender)
{
    const std::uint64_t give_up_ns = now_ns() + MEETING_NS;
    while (!receiving.is_ready() || !sender.is_matched()) {
        if (now_ns() > give_up_ns)
            throw Failure("the two ends have not met in 15 s (is the loopback interface up, is /dev/shm there?)");
        wait(now_ns() + LOOK_EVERY_NS);
    }
}

void publish(Sender &sender, Board &board, const Options &options, std::uint32_t number)
{
    std::uint8_t *bytes = sender.loan();
    fill_payload(bytes, options.bytes, number);
    const std::uint64_t at_ns = now_ns();
    stamp_payload(bytes, at_ns);
    board.sent(number, at_ns);
    sender.publish();
    board.returned(number, now_ns());
}

// Ticks are multiples of the period after the first one. One that is over already is left out.
std::uint64_t tick_after(std::uint64_t tick_ns, std::uint64_t period_ns)
{
    const std::uint64_t now = now_ns();
    const std::uint64_t passed = now > tick_ns ? (now - tick_ns) / period_ns : 0;
    return tick_ns + (passed + 1) * period_ns;
}

// A tick is left out, too, while the sample before is on its way: no queue ever holds two.
void publish_all(Sender &sender, Board &board, const Options &options)
{
    const std::uint64_t period_ns = options.period_us * NS_PER_US;
    std::uint64_t tick_ns = now_ns() + period_ns;
    wait(tick_ns);
    for (std::uint32_t number = 0; number < options.all_samples(); number++) {
        const std::uint32_t taken_before = board.taken();
        publish(sender, board, options, number);
        do {
            tick_ns = tick_after(tick_ns, period_ns);
            wait(tick_ns);
        } while (board.taken() == taken_before && now_ns() < board.sent_ns(number) + LOST_AFTER_NS);
    }
}

// Makes the ends, and leaves what was measured in the board. The receiver ends first, then nothing writes there.
ExitCode measure(Peer &peer, const Options &options, Board &board, std::unique_ptr<Sender> &sender)
{
    ReceivingEnd receiving(peer, options, board);
    ExitCode code = RUN_MADE;
    try {
        sender = peer.open_sender(options);
        meet(receiving, *sender);
        const Apart apart(Apart::Who::PUBLISHING);
        publish_all(*sender, board, options);
    } catch (const Interrupted &) {
        code = INTERRUPTED;
    }
    receiving.end();
    return code;
}

ExitCode run(Peer &peer, const Options &options)
{
    Output output;
    block_signals();
    keep_freed_memory();
    RecordsFile records(options.records);
    Board board(options);
    peer.prepare(options);
    ask_scheduling(options.priority);
    std::unique_ptr<Sender> sender;
    const ExitCode code = measure(peer, options, board, sender);
    records.write(board, options);
    output.print(summary(peer.description(), board, options));
    return code;
}

} // namespace

int run_peer(Peer &peer, int argc, char **argv)
{
    const char *name = program_invocation_short_name;
    try {
        return run(peer, read_options(argc, argv, peer.needs_master()));
    } catch (const UsageError &error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return USAGE;
    } catch (const Interrupted &) {
        return INTERRUPTED;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s: %s\n", name, failure.what());
        return NOT_MADE;
    }
}

} // namespace local
