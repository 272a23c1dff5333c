// Our two ends, written in Rust (src/abi.rs), as the harness's.
#ifndef TOKKYU_LOCAL_OURS_HPP
#define TOKKYU_LOCAL_OURS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "board.hpp"
#include "clock.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "peer.hpp"

extern "C" {
struct TokkyuSender;
struct TokkyuReceiver;

// Null, or false: it has failed, and why stands on standard error.
TokkyuSender *tokkyu_sender_open(const char *master, std::uint32_t bytes);
bool tokkyu_sender_is_matched(const TokkyuSender *sender);
std::uint8_t *tokkyu_sender_loan(TokkyuSender *sender);
bool tokkyu_sender_publish(TokkyuSender *sender);
void tokkyu_sender_close(TokkyuSender *sender);

using TokkyuTake = void (*)(void *context, const std::uint8_t *bytes, std::size_t size);
// `take` is called by a thread of the receiver's until it is closed.
TokkyuReceiver *tokkyu_receiver_open(const char *master, TokkyuTake take, void *context);
bool tokkyu_receiver_is_matched(const TokkyuReceiver *receiver);
void tokkyu_receiver_close(TokkyuReceiver *receiver);
}

namespace local {

inline Failure ours_failed(const char *what)
{
    return Failure(std::string(what) + " (why stands above; does a rosmaster run at --master-uri?)");
}

class OurSender : public Sender {
public:
    explicit OurSender(const Options &options)
        : sender_(tokkyu_sender_open(options.master_uri.c_str(), options.bytes), tokkyu_sender_close)
    {
        if (!sender_)
            throw ours_failed("our publisher could not be made");
    }

    bool is_matched() override { return tokkyu_sender_is_matched(sender_.get()); }
    std::uint8_t *loan() override
    {
        std::uint8_t *bytes = tokkyu_sender_loan(sender_.get());
        if (bytes == nullptr)
            throw ours_failed("nothing was lent");
        return bytes;
    }
    void publish() override
    {
        if (!tokkyu_sender_publish(sender_.get()))
            throw ours_failed("a sample was not published");
    }

private:
    const std::unique_ptr<TokkyuSender, void (*)(TokkyuSender *)> sender_;
};

class OurReceiver : public Receiver {
public:
    OurReceiver(const Options &options, Board &board)
        : receiver_(tokkyu_receiver_open(options.master_uri.c_str(), take, &board), tokkyu_receiver_close)
    {
        if (!receiver_)
            throw ours_failed("our subscription could not be made");
    }

    bool is_matched() override { return tokkyu_receiver_is_matched(receiver_.get()); }

private:
    static void take(void *board, const std::uint8_t *bytes, std::size_t size)
    {
        const std::uint64_t at_ns = now_ns();
        static_cast<Board *>(board)->arrived(bytes, size, at_ns);
    }

    const std::unique_ptr<TokkyuReceiver, void (*)(TokkyuReceiver *)> receiver_;
};

} // namespace local
#endif
