// What a peer brings, and the program that the harness makes of it.
#ifndef TOKKYU_LOCAL_PEER_HPP
#define TOKKYU_LOCAL_PEER_HPP

#include <cstdint>
#include <memory>

#include "board.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "results.hpp"

namespace local {

// The publishing end. Used by one thread; all of it may throw Failure.
class Sender {
public:
    virtual ~Sender() = default;

    // Whether it is joined to the receiver.
    virtual bool is_matched() = 0;

    // Memory for the payload of the next sample, `--bytes` long. The harness fills and stamps it.
    virtual std::uint8_t *loan() = 0;

    // Gives that sample to the library. It begins with the call that the stamp stands before.
    virtual void publish() = 0;
};

// The receiving end: made, it receives, and tells the board of each sample; destroyed, it does not any more.
class Receiver {
public:
    virtual ~Receiver() = default;

    // Whether it is joined to the sender.
    virtual bool is_matched() = 0;
};

class Peer {
public:
    virtual ~Peer() = default;

    virtual Description description() const = 0;
    virtual bool needs_master() const { return false; }

    // Before the second process is made and before the scheduling class is set: what both ends share.
    virtual void prepare(const Options &) {}

    // The receiver is made first. With two processes it is made in the second one.
    virtual std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) = 0;
    virtual std::unique_ptr<Sender> open_sender(const Options &options) = 0;
};

// The whole program; returns its exit code (LOCAL-4). Call it first of all in main.
int run_peer(Peer &peer, int argc, char **argv);

} // namespace local
#endif
