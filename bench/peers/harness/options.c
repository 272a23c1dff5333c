/*
 * Reads the command line of a peer (PEER-1 to PEER-4): every flag is required and given once, none is
 * guessed.
 *
 * A flag is a row of a table: its name, what reads its value, and its place in `struct options`. Strict on
 * purpose: the lab writes these lines, and a run with a setting that was not meant is worse than no run.
 */
#include "options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct options *options;
    const char *peer;
    const struct mode *modes;
};

/* Reads one value; on an error it has said what is wrong and returns false. */
typedef bool read_value(struct reader *reader, const char *flag, const char *value);

static bool wrong(const struct reader *reader, const char *flag, const char *value, const char *wanted)
{
    fprintf(stderr, "tokkyu-peer-%s: %s %s: give %s\n", reader->peer, flag, value, wanted);
    return false;
}

static bool number(const struct reader *reader, const char *flag, const char *value, uint64_t least, uint64_t most,
                   uint64_t *result)
{
    char *end = NULL;
    errno = 0;
    /* strtoull takes a sign and blanks; a number here is digits alone. */
    const bool digits = *value != '\0' && strspn(value, "0123456789") == strlen(value);
    *result = digits ? strtoull(value, &end, 10) : 0;
    if (digits && errno == 0 && *result >= least && *result <= most)
        return true;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu", (unsigned long long)least,
             (unsigned long long)most);
    return wrong(reader, flag, value, wanted);
}

static bool address(const struct reader *reader, const char *flag, const char *value, const char **result)
{
    struct in_addr parsed;
    if (inet_pton(AF_INET, value, &parsed) != 1)
        return wrong(reader, flag, value, "an IPv4 address such as 10.77.0.1");
    *result = value;
    return true;
}

static bool path(const struct reader *reader, const char *flag, const char *value, const char **result)
{
    *result = value;
    return *value != '\0' || wrong(reader, flag, value, "the name of a file that is not there yet");
}

static bool read_mode(struct reader *reader, const char *flag, const char *value)
{
    char wanted[80] = "one of:";
    for (const struct mode *mode = reader->modes; mode->word != NULL; mode++) {
        if (strcmp(value, mode->word) == 0) {
            reader->options->mode = mode;
            return true;
        }
        const size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, " %s", mode->word);
    }
    return wrong(reader, flag, value, wanted);
}

static bool read_variant(struct reader *reader, const char *flag, const char *value)
{
    reader->options->tuned = strcmp(value, "tuned") == 0;
    return reader->options->tuned || strcmp(value, "default") == 0 || wrong(reader, flag, value, "default or tuned");
}

static bool read_qos(struct reader *reader, const char *flag, const char *value)
{
    uint64_t result;
    if (!number(reader, flag, value, QOS_RELIABLE_LAST_10, QOS_BEST_EFFORT_LAST_1, &result))
        return false;
    reader->options->qos = (enum qos)result;
    return true;
}

/* The readers of numbers differ in range and place alone. */
#define NUMBER(name, field, type, least, most, factor)                                                                 \
    static bool read_##name(struct reader *reader, const char *flag, const char *value)                                \
    {                                                                                                                  \
        uint64_t result;                                                                                               \
        if (!number(reader, flag, value, least, most, &result))                                                        \
            return false;                                                                                              \
        reader->options->field = (type)(result * (factor));                                                            \
        return true;                                                                                                   \
    }

NUMBER(images, images, unsigned, 1, MOST_IMAGES, 1)
NUMBER(size, size, size_t, 32, 16 << 20, 1)
NUMBER(period, period_ns, uint64_t, 1000, 10000000, 1000)
NUMBER(samples, samples, unsigned, 1, 100000, 1)
NUMBER(start, start_at_ns, uint64_t, 1, INT64_MAX / 2, 1)
NUMBER(rtt, rtt_us, uint64_t, 0, 10000000, 1)
NUMBER(rate, rate_kbit, uint64_t, 0, 1000000000, 1)
NUMBER(drain, drain_ms, uint64_t, 0, 600000, 1)
NUMBER(priority, priority, int, 1, 99, 1)

static bool read_own(struct reader *reader, const char *flag, const char *value)
{
    return address(reader, flag, value, &reader->options->own);
}

static bool read_other(struct reader *reader, const char *flag, const char *value)
{
    return address(reader, flag, value, &reader->options->other);
}

static bool read_records(struct reader *reader, const char *flag, const char *value)
{
    return path(reader, flag, value, &reader->options->records);
}

static bool read_summary(struct reader *reader, const char *flag, const char *value)
{
    return path(reader, flag, value, &reader->options->summary);
}

static const struct flag {
    const char *name;
    read_value *read;
} flags[] = {
    {"--mode", read_mode},       {"--variant", read_variant},    {"--qos", read_qos},
    {"--images", read_images},   {"--size", read_size},          {"--period-us", read_period},
    {"--samples", read_samples}, {"--start-at-ns", read_start},  {"--own", read_own},
    {"--other", read_other},     {"--rtt-us", read_rtt},         {"--rate-kbit", read_rate},
    {"--drain-ms", read_drain},  {"--priority", read_priority},  {"--records", read_records},
    {"--summary", read_summary},
};

#define FLAGS (sizeof flags / sizeof flags[0])

static bool read_flag(struct reader *reader, bool *given, const char *name, const char *value)
{
    for (size_t i = 0; i < FLAGS; i++) {
        if (strcmp(name, flags[i].name) != 0)
            continue;
        if (value == NULL || given[i])
            return wrong(reader, name, value ? value : "", value ? "it once" : "a value");
        given[i] = true;
        return flags[i].read(reader, name, value);
    }
    return wrong(reader, name, "", "only flags of bench/peers/SPEC.md, PEER-1");
}

static bool read_role(struct reader *reader, const char *word)
{
    if (word == NULL || (strcmp(word, "send") != 0 && strcmp(word, "receive") != 0))
        return wrong(reader, "role", word ? word : "", "send or receive first");
    reader->options->role = strcmp(word, "send") == 0 ? ROLE_SEND : ROLE_RECEIVE;
    return true;
}

/* A mode need not have every condition (PEER-2), which cannot be seen from one flag alone. */
static bool has_condition(const struct reader *reader)
{
    const struct options *options = reader->options;
    if (options->mode->conditions & QOS_BIT(options->qos))
        return true;
    char wanted[80] = "a condition that this mode has:";
    for (int qos = QOS_RELIABLE_LAST_10; qos <= QOS_BEST_EFFORT_LAST_1; qos++) {
        const size_t used = strlen(wanted);
        if (options->mode->conditions & QOS_BIT(qos))
            snprintf(wanted + used, sizeof wanted - used, " %d", qos);
    }
    const char value[] = {(char)('0' + options->qos), '\0'};
    return wrong(reader, "--qos", value, wanted);
}

/* Nor several streams, where it has one. */
static bool has_streams(const struct reader *reader)
{
    const struct options *options = reader->options;
    if (options->mode->stream == NULL || options->images == 1)
        return true;
    char value[16];
    snprintf(value, sizeof value, "%u", options->images);
    return wrong(reader, "--images", value, "1, as this mode has one stream");
}

bool options_read(struct options *options, const char *peer, const struct mode *modes, int argc, char **argv)
{
    struct reader reader = {options, peer, modes};
    bool given[FLAGS] = {false};
    if (!read_role(&reader, argc > 1 ? argv[1] : NULL))
        return false;
    for (int i = 2; i < argc; i += 2)
        if (!read_flag(&reader, given, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
            return false;
    for (size_t i = 0; i < FLAGS; i++)
        if (!given[i])
            return wrong(&reader, flags[i].name, "", "this flag, it is missing");
    return has_condition(&reader) && has_streams(&reader);
}
