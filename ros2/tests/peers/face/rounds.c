#include "rounds.h"
#include "bell.h"
#include "events.h"

// A reliable writer whose readers are behind blocks for a tenth of a second, then is asked again: so it ends in time.
static enum written write_until_done(write_fn write, void *writer, const struct message *message) {
    enum written outcome;
    do {
        outcome = write(writer, message);
    } while (outcome == WOULD_BLOCK && !bell_ended());
    return outcome;
}

// A writer that goes takes with it what its readers have not got yet. Fast DDS asks readers every 3 s what they have;
// by 5 s it has asked.
static void see_off(const struct options *options, acknowledged_fn acknowledged, void *writer) {
    if (options->stay) bell_wait_end();
    if (!options->reliable) return;
    for (int tenth = 0; tenth < 50 && !bell_ended() && !acknowledged(writer, 100); tenth++) {}
}

bool publish_rounds(const struct options *options, write_fn write, acknowledged_fn acknowledged, void *writer,
                    int64_t *sent) {
    if (!bell_wait_readers(options->wait_readers)) return true;
    if (options->wait_line && !bell_wait_line()) return true;
    int64_t begun_ns = monotonic_ns();
    for (int64_t n = 0; n < options->count; n++) {
        if (!bell_wait_until(begun_ns + n * options->period_ms * 1000000)) break;
        struct message message = message_make(options->type, n, options->size);
        enum written outcome = write_until_done(write, writer, &message);
        if (outcome == WRITTEN) {
            say_sent(n, message_bytes(&message));
            ++*sent;
        }
        message_free(&message);
        if (outcome == NOT_WRITTEN) return false;
    }
    see_off(options, acknowledged, writer);
    return true;
}

void tell_of_sample(const struct options *options, const struct message *message, int64_t source_ns) {
    int64_t received_ns = wall_ns(), n = message_n(message);
    say_received(n, message_bytes(message), message_same(message, n, options->size), source_ns, received_ns);
}

static bool rest(const struct options *options) {
    return options->slow_ms == 0 ? !bell_ended() : bell_wait_until(monotonic_ns() + options->slow_ms * 1000000);
}

bool subscribe_rounds(const struct options *options, take_fn take, void *reader, int64_t *received) {
    while (*received != options->count && bell_wait_data()) {
        enum taken outcome;
        while (*received != options->count && (outcome = take(reader, options)) != NOTHING_THERE) {
            if (outcome == NOT_TAKEN) return false;
            ++*received;
            if (!rest(options)) return true;
        }
    }
    return true;
}
