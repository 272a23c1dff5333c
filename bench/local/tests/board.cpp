// The board tells right samples from wrong ones: what every check of a peer rests on. Exit code 0: all passed.
#include "board.hpp"

#include <cstdio>
#include <vector>

#include "payload.hpp"

namespace {

constexpr std::uint32_t BYTES = 64;

int failures = 0;

void expect(bool holds, const char *what)
{
    if (!holds)
        std::printf("board: not so: %s\n", what);
    failures += holds ? 0 : 1;
}

local::Options options()
{
    local::Options options;
    options.bytes = BYTES;
    options.samples = 8;
    return options;
}

using Sample = std::vector<std::uint8_t>;

// As the sender makes it, with its stamp told to the board.
Sample sample(local::Board &board, std::uint32_t number, std::uint64_t sent_ns)
{
    Sample bytes(BYTES);
    local::fill_payload(bytes.data(), bytes.size(), number);
    local::stamp_payload(bytes.data(), sent_ns);
    board.sent(number, sent_ns);
    return bytes;
}

void a_right_sample_is_recorded_with_both_times()
{
    local::Board board(options());
    const Sample right = sample(board, 3, 100);
    board.arrived(right.data(), right.size(), 150);
    expect(board.sent_ns(3) == 100 && board.received_ns(3) == 150, "a right sample has both times");
    expect(board.taken() == 1 && board.wrong() == 0, "a right sample is taken and not wrong");
    expect(board.returned_ns(3) == 0, "a call that has not returned has no time");
    board.returned(3, 140);
    expect(board.returned_ns(3) == 140 && board.received_ns(3) == 150, "a call may return before its sample is there");
    expect(board.sent_ns(2) == 0 && board.received_ns(2) == 0, "what was not sent has no times");
}

void a_late_sample_is_lost()
{
    local::Board board(options());
    const Sample late = sample(board, 0, 100);
    board.arrived(late.data(), late.size(), 101 + local::LOST_AFTER_NS);
    expect(board.received_ns(0) == 0 && board.wrong() == 0, "a late sample is lost and not wrong");
}

void expect_wrong(local::Board &board, const Sample &bytes, const char *what)
{
    const std::uint32_t before = board.wrong();
    board.arrived(bytes.data(), bytes.size(), 60);
    expect(board.wrong() == before + 1, what);
}

void what_is_not_the_next_sample_whole_and_stamped_is_wrong()
{
    local::Board board(options());
    const Sample early = sample(board, 1, 10), second = sample(board, 2, 20);
    board.arrived(second.data(), second.size(), 30);
    Sample damaged = sample(board, 3, 40);
    damaged[BYTES - 4] ^= 1;
    Sample old_stamp = sample(board, 4, 50);
    local::stamp_payload(old_stamp.data(), 49);
    Sample unsent(BYTES);
    local::fill_payload(unsent.data(), BYTES, 5);
    Sample unknown(BYTES);
    local::fill_payload(unknown.data(), BYTES, 8);
    expect_wrong(board, early, "out of order");
    expect_wrong(board, second, "twice");
    expect_wrong(board, damaged, "another number at the end");
    expect_wrong(board, old_stamp, "a stamp that is not the sender's");
    expect_wrong(board, unsent, "a number that was not sent yet");
    expect_wrong(board, unknown, "a number beyond the last");
    expect_wrong(board, Sample(second.begin(), second.end() - 1), "too short");
    expect_wrong(board, Sample(), "empty");
    expect(board.received_ns(2) == 30 && board.received_ns(1) == 0, "a wrong sample changes no record");
}

} // namespace

int main()
{
    a_right_sample_is_recorded_with_both_times();
    a_late_sample_is_lost();
    what_is_not_the_next_sample_whole_and_stamped_is_wrong();
    return failures == 0 ? 0 : 1;
}
