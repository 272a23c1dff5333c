// A place for one sample, and a bell: what every way of handing a message to another thread has at least.
//
//   sender: fill the buffer, store its position, ring        reader: wait for the bell, take the position, read
#ifndef TOKKYU_LOCAL_MAILBOX_HPP
#define TOKKYU_LOCAL_MAILBOX_HPP

#include <atomic>
#include <cstdint>
#include <thread>

#include "board.hpp"
#include "clock.hpp"
#include "peer.hpp"

namespace local {

// Memory for both ends; between processes it is mapped at one address in both, as the second is made by fork.
template <class Bell> struct Mailbox {
    explicit Mailbox(std::uint8_t *buffer) : bytes(buffer) {}

    Bell bell;
    // The sample on its way, if there is one.
    std::atomic<std::uint8_t *> message{nullptr};
    std::atomic<bool> is_over{false};
    // The one buffer: the next sample is not filled before this one was read.
    std::uint8_t *const bytes;
};

template <class Bell> class MailboxSender : public Sender {
public:
    explicit MailboxSender(Mailbox<Bell> &mailbox) : mailbox_(mailbox) {}

    bool is_matched() override { return true; }
    std::uint8_t *loan() override { return mailbox_.bytes; }
    void publish() override
    {
        mailbox_.message.store(mailbox_.bytes, std::memory_order_release);
        mailbox_.bell.ring();
    }

private:
    Mailbox<Bell> &mailbox_;
};

template <class Bell> class MailboxReceiver : public Receiver {
public:
    MailboxReceiver(Mailbox<Bell> &mailbox, std::uint32_t size, Board &board)
        : mailbox_(mailbox), size_(size), board_(board), reader_([this] { read(); })
    {
    }
    ~MailboxReceiver() override
    {
        mailbox_.is_over.store(true);
        mailbox_.bell.ring();
        reader_.join();
    }

    bool is_matched() override { return true; }

private:
    void read()
    {
        for (;;) {
            mailbox_.bell.wait();
            const std::uint8_t *bytes = mailbox_.message.exchange(nullptr, std::memory_order_acquire);
            const std::uint64_t at_ns = now_ns();
            if (bytes != nullptr)
                board_.arrived(bytes, size_, at_ns);
            if (mailbox_.is_over.load())
                return;
        }
    }

    Mailbox<Bell> &mailbox_;
    const std::uint32_t size_;
    Board &board_;
    std::thread reader_;
};

} // namespace local
#endif
