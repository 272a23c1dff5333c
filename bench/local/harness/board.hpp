// What both ends know of each sample: memory that the two processes of a run share, or the two threads.
//
// It tells the sender that a sample has arrived, without a call to the kernel and so without a wake-up that would
// disturb the next one. Records are kept here until the run is over. It has no name in the file system.
#ifndef TOKKYU_LOCAL_BOARD_HPP
#define TOKKYU_LOCAL_BOARD_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "options.hpp"

namespace local {

// A sample that took longer than this is lost (LOCAL-12).
constexpr std::uint64_t LOST_AFTER_NS = 1000000000;

class Board {
public:
    // Throws Failure. Make it before the second process.
    explicit Board(const Options &options);
    ~Board();
    Board(const Board &) = delete;
    Board &operator=(const Board &) = delete;

    // Sender. Between the stamp and publishing.
    void sent(std::uint32_t number, std::uint64_t at_ns) noexcept;
    // As soon as the call that publishes has returned.
    void returned(std::uint32_t number, std::uint64_t at_ns) noexcept;

    // Receiver, one call at a time. `at_ns` is read first thing in the callback; the check comes after it.
    void arrived(const std::uint8_t *bytes, std::size_t size, std::uint64_t at_ns) noexcept;

    // Samples that came in all, right or wrong.
    std::uint32_t taken() const noexcept;
    std::uint32_t wrong() const noexcept;

    // 0: not sent, not arrived.
    std::uint64_t sent_ns(std::uint32_t number) const noexcept;
    // A sample that came later than LOST_AFTER_NS is 0 too.
    std::uint64_t received_ns(std::uint32_t number) const noexcept;
    // 0: the call has not returned.
    std::uint64_t returned_ns(std::uint32_t number) const noexcept;

private:
    struct Shared;
    struct Times;

    bool is_right(const std::uint8_t *bytes, std::size_t size, std::uint32_t &number) const noexcept;

    const std::uint32_t bytes_;
    const std::uint32_t samples_;
    const std::size_t mapped_bytes_;
    Shared *const shared_;
    // Behind it, one for each sample.
    Times *const times_;
};

} // namespace local
#endif
