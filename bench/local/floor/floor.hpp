// A floor: a mailbox with a bell, between two threads or two processes.
#ifndef TOKKYU_LOCAL_FLOOR_HPP
#define TOKKYU_LOCAL_FLOOR_HPP

#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "mailbox.hpp"

namespace local {

// One anonymous mapping with the mailbox and, from the next page on, the buffer. Never given back: the program ends.
class FloorMemory {
public:
    explicit FloorMemory(std::uint32_t bytes)
    {
        const int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE;
        void *memory = mmap(nullptr, PAGE + bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED)
            throw system_failure("no memory for the message (lower --bytes)");
        memory_ = static_cast<std::uint8_t *>(memory);
    }

    void *mailbox() const { return memory_; }
    std::uint8_t *buffer() const { return memory_ + PAGE; }

    static constexpr std::size_t PAGE = 4096;

private:
    std::uint8_t *memory_;
};

template <class Bell> class Floor : public Peer {
public:
    Floor(const char *name, int processes) : name_(name), processes_(processes) {}

    Description description() const override
    {
        utsname kernel{};
        uname(&kernel);
        return {name_, 0, processes_, "linux", kernel.release};
    }
    void prepare(const Options &options) override
    {
        static_assert(sizeof(Mailbox<Bell>) <= FloorMemory::PAGE, "the buffer begins on the next page");
        const FloorMemory memory(options.bytes);
        mailbox_ = new (memory.mailbox()) Mailbox<Bell>(memory.buffer());
    }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<MailboxReceiver<Bell>>(*mailbox_, options.bytes, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &) override
    {
        return std::make_unique<MailboxSender<Bell>>(*mailbox_);
    }

private:
    const char *name_;
    const int processes_;
    Mailbox<Bell> *mailbox_ = nullptr;
};

} // namespace local
#endif
