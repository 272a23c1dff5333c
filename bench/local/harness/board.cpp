// One anonymous shared mapping; see board.hpp.
#include "board.hpp"

#include <sys/mman.h>

#include "failure.hpp"
#include "payload.hpp"

namespace local {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock would not work between processes");

struct Board::Times {
    std::atomic<std::uint64_t> sent_ns;
    std::atomic<std::uint64_t> received_ns;
    std::atomic<std::uint64_t> returned_ns;
};

struct Board::Shared {
    std::atomic<std::uint32_t> taken;
    std::atomic<std::uint32_t> wrong;
    // The number after the last right one: what is below it comes twice or out of order.
    std::atomic<std::uint32_t> next;
    // Times come next, at a multiple of eight.
    std::atomic<std::uint32_t> unused;
};

namespace {

// Zero is the right beginning of all of it, and populated: no page is touched for the first time in a run.
void *map_shared(std::size_t size)
{
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        throw system_failure("no memory for the records (lower --samples)");
    return memory;
}

} // namespace

Board::Board(const Options &options)
    : bytes_(options.bytes), samples_(options.all_samples()), mapped_bytes_(sizeof(Shared) + sizeof(Times) * samples_),
      shared_(static_cast<Shared *>(map_shared(mapped_bytes_))), times_(reinterpret_cast<Times *>(shared_ + 1))
{
}

Board::~Board()
{
    munmap(shared_, mapped_bytes_);
}

void Board::sent(std::uint32_t number, std::uint64_t at_ns) noexcept
{
    times_[number].sent_ns.store(at_ns, std::memory_order_relaxed);
}

void Board::returned(std::uint32_t number, std::uint64_t at_ns) noexcept
{
    times_[number].returned_ns.store(at_ns, std::memory_order_relaxed);
}

bool Board::is_right(const std::uint8_t *bytes, std::size_t size, std::uint32_t &number) const noexcept
{
    if (size != bytes_)
        return false;
    const Found found = read_payload(bytes, size);
    number = found.number;
    return number < samples_ && number >= shared_->next.load(std::memory_order_relaxed) && found.number_at_end == number
        && found.sent_ns != 0 && found.sent_ns == sent_ns(number);
}

void Board::arrived(const std::uint8_t *bytes, std::size_t size, std::uint64_t at_ns) noexcept
{
    std::uint32_t number = 0;
    if (is_right(bytes, size, number)) {
        times_[number].received_ns.store(at_ns, std::memory_order_relaxed);
        shared_->next.store(number + 1, std::memory_order_relaxed);
    } else {
        shared_->wrong.fetch_add(1, std::memory_order_relaxed);
    }
    shared_->taken.fetch_add(1, std::memory_order_release);
}

std::uint32_t Board::taken() const noexcept
{
    return shared_->taken.load(std::memory_order_acquire);
}

std::uint32_t Board::wrong() const noexcept
{
    return shared_->wrong.load(std::memory_order_acquire);
}

std::uint64_t Board::sent_ns(std::uint32_t number) const noexcept
{
    return times_[number].sent_ns.load(std::memory_order_relaxed);
}

std::uint64_t Board::received_ns(std::uint32_t number) const noexcept
{
    const std::uint64_t at_ns = times_[number].received_ns.load(std::memory_order_relaxed);
    return at_ns > sent_ns(number) + LOST_AFTER_NS ? 0 : at_ns;
}

std::uint64_t Board::returned_ns(std::uint32_t number) const noexcept
{
    return times_[number].returned_ns.load(std::memory_order_relaxed);
}

} // namespace local
