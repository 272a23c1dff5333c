#define _GNU_SOURCE
#include "options.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *ros, *dds;
    size_t size;
} types[] = {
    [TYPE_STRING] = {"std_msgs/msg/String", "std_msgs::msg::dds_::String_", 64},
    [TYPE_IMAGE] = {"sensor_msgs/msg/Image", "sensor_msgs::msg::dds_::Image_", 65536},
    [TYPE_TWIST] = {"geometry_msgs/msg/Twist", "geometry_msgs::msg::dds_::Twist_", 48},
};

static _Noreturn void usage(const char *flag, const char *complaint) {
    fprintf(stderr, "%s: %s\n", flag, complaint);
    exit(2);
}

static int64_t number(const char *flag, const char *text, int64_t least, int64_t most) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || value < least || value > most) {
        fprintf(stderr, "%s: '%s' is no number from %lld to %lld\n", flag, text, (long long)least, (long long)most);
        exit(2);
    }
    return value;
}

// True for the second word, false for the first.
static bool second(const char *flag, const char *text, const char *first_word, const char *second_word) {
    if (strcmp(text, second_word) == 0) return true;
    if (strcmp(text, first_word) == 0) return false;
    fprintf(stderr, "%s: '%s' is neither %s nor %s\n", flag, text, first_word, second_word);
    exit(2);
}

static enum type type_of(const char *flag, const char *text) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(text, types[i].ros) == 0) return (enum type)i;
    usage(flag, "is std_msgs/msg/String, sensor_msgs/msg/Image or geometry_msgs/msg/Twist");
}

// Flags of quality of service; false if the flag is none of them.
static bool quality(struct options *o, const char *flag, const char *value) {
    const int64_t year_ms = 365LL * 86400 * 1000;
    if (strcmp(flag, "--reliability") == 0) o->reliable = second(flag, value, "best_effort", "reliable");
    else if (strcmp(flag, "--durability") == 0) o->transient_local = second(flag, value, "volatile", "transient_local");
    else if (strcmp(flag, "--history") == 0) o->keep_all = second(flag, value, "keep_last", "keep_all");
    else if (strcmp(flag, "--liveliness") == 0)
        o->manual_liveliness = second(flag, value, "automatic", "manual_by_topic");
    else if (strcmp(flag, "--depth") == 0) o->depth = (int)number(flag, value, 1, 1000000);
    else if (strcmp(flag, "--deadline-ms") == 0) o->deadline_ms = number(flag, value, 1, year_ms);
    else if (strcmp(flag, "--lifespan-ms") == 0) o->lifespan_ms = number(flag, value, 1, year_ms);
    else if (strcmp(flag, "--lease-ms") == 0) o->lease_ms = number(flag, value, 1, year_ms);
    else return false;
    return true;
}

// Flags that one of the two roles has alone; false if it is none of them.
static bool of_role(struct options *o, const char *flag, const char *value) {
    if (o->publish && strcmp(flag, "--period-ms") == 0) o->period_ms = number(flag, value, 0, 3600000);
    else if (o->publish && strcmp(flag, "--wait-readers") == 0) o->wait_readers = (int)number(flag, value, 0, 1000);
    else if (o->publish && strcmp(flag, "--user-data") == 0) o->user_data = value;
    else if (!o->publish && strcmp(flag, "--slow-ms") == 0) o->slow_ms = number(flag, value, 0, 3600000);
    else if (!o->publish && strcmp(flag, "--limit") == 0) o->limit = (int)number(flag, value, 1, 1000000);
    else return false;
    return true;
}

// Flags without a value.
static bool alone(struct options *o, const char *flag) {
    if (strcmp(flag, "--stay") == 0) return o->stay = true;
    return strcmp(flag, "--wait-line") == 0 && (o->wait_line = true);
}

static bool of_both(struct options *o, const char *flag, const char *value) {
    if (strcmp(flag, "--topic") == 0) o->topic = value;
    else if (strcmp(flag, "--prefix") == 0) o->prefix = value;
    else if (strcmp(flag, "--type") == 0) o->type = type_of(flag, value);
    else if (strcmp(flag, "--domain") == 0) o->domain = (int)number(flag, value, 0, 232);
    else if (strcmp(flag, "--interface") == 0) o->interface = value;
    else if (strcmp(flag, "--count") == 0) o->count = number(flag, value, 0, INT32_MAX);
    else if (strcmp(flag, "--size") == 0) o->size = (size_t)number(flag, value, 0, 1 << 30);
    else if (strcmp(flag, "--seed") == 0) o->seed = (uint64_t)number(flag, value, 0, INT64_MAX);
    else return false;
    return true;
}

static void complete(struct options *o, bool type_given) {
    if (o->topic == NULL || *o->topic == 0) usage("--topic", "is missing");
    if (strlen(o->topic) > 240 || *o->topic == '/') usage("--topic", "is a name of up to 240 bytes, not begun by '/'");
    if (strcmp(o->prefix, "rt") != 0 && strcmp(o->prefix, "rq") != 0 && strcmp(o->prefix, "rr") != 0)
        usage("--prefix", "is rt, rq or rr");
    if (!type_given) usage("--type", "is missing");
    if (o->publish && o->count < 0) usage("--count", "is missing");
    if (o->publish && o->period_ms < 0) usage("--period-ms", "is missing");
    if (o->size == SIZE_MAX) o->size = types[o->type].size;
}

struct options options_of(int argc, char **argv) {
    if (argc < 2) usage("publish|subscribe", "is missing");
    struct options o = {.prefix = "rt", .interface = "lo", .reliable = true, .depth = 10, .count = -1, .period_ms = -1,
                        .size = SIZE_MAX};
    o.publish = second("role", argv[1], "subscribe", "publish");
    bool type_given = false;
    for (int i = 2; i < argc; i++) {
        const char *flag = argv[i];
        if (o.publish && alone(&o, flag)) continue;
        if (i + 1 == argc) usage(flag, "is unknown or lacks its value");
        const char *value = argv[++i];
        if (!of_both(&o, flag, value) && !of_role(&o, flag, value) && !quality(&o, flag, value))
            usage(flag, "is unknown for this role");
        type_given |= strcmp(flag, "--type") == 0;
    }
    complete(&o, type_given);
    return o;
}

const char *dds_type_name(enum type type) { return types[type].dds; }

void dds_topic_name(const struct options *options, char *name, size_t room) {
    snprintf(name, room, "%s/%s", options->prefix, options->topic);
}
