/* What SRT is told in each mode and variant; README.md argues for each of `tuned`. */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "summary.h"

/* For the socket below SRT, whose default is 64 kB at a sender: less than the pieces of one image. */
#define UDP_BUFFER_BYTES (4 << 20)

static unsigned env(const char *name, unsigned otherwise)
{
    const char *v = getenv(name);
    return v ? (unsigned)atoi(v) : otherwise;
}

bool is_live(const struct options *options)
{
    return strcmp(options->mode->word, "live") == 0;
}

/* How long the bottleneck needs for one tick of all cameras. */
static uint64_t burst_us(const struct options *options)
{
    return options->rate_kbit == 0 ? 0 : options->images * options->size * 8 * 1000 / options->rate_kbit;
}

static int latency_ms(const struct options *options)
{
    return (int)env("LATENCY", (unsigned)((6 * options->rtt_us + burst_us(options) * 3 / 2) / 1000 + 10));
}

static bool set(SRTSOCKET socket, SRT_SOCKOPT option, const char *name, const void *value, int size)
{
    if (srt_setsockflag(socket, option, value, size) != SRT_ERROR)
        return true;
    summary_note("%s: %s", name, srt_getlasterror_str());
    return false;
}

static bool set_mode(SRTSOCKET socket, const struct options *options)
{
    const int type = is_live(options) ? SRTT_LIVE : SRTT_FILE;
    const bool messages = true;
    return set(socket, SRTO_TRANSTYPE, "SRTO_TRANSTYPE", &type, sizeof type)
        && set(socket, SRTO_MESSAGEAPI, "SRTO_MESSAGEAPI", &messages, sizeof messages);
}

static bool tune(SRTSOCKET socket, const struct options *options)
{
    const int buffer = UDP_BUFFER_BYTES;
    const int latency = latency_ms(options);
    if (!set(socket, SRTO_UDP_SNDBUF, "SRTO_UDP_SNDBUF", &buffer, sizeof buffer)
        || !set(socket, SRTO_UDP_RCVBUF, "SRTO_UDP_RCVBUF", &buffer, sizeof buffer))
        return false;
    if (getenv("MAXBW")) { int64_t bw = atoll(getenv("MAXBW")); set(socket, SRTO_MAXBW, "SRTO_MAXBW", &bw, sizeof bw); }
    if (getenv("FILTER")) set(socket, SRTO_PACKETFILTER, "SRTO_PACKETFILTER", getenv("FILTER"), strlen(getenv("FILTER")));
    return !is_live(options) || set(socket, SRTO_LATENCY, "SRTO_LATENCY", &latency, sizeof latency);
}

bool settings_apply(SRTSOCKET socket, const struct options *options)
{
    return set_mode(socket, options) && (!options->tuned || tune(socket, options));
}

void settings_tell(const struct options *options)
{
    summary_setting("SRTO_TRANSTYPE=%s SRTO_MESSAGEAPI=1", is_live(options) ? "SRTT_LIVE" : "SRTT_FILE");
    if (options->tuned)
        summary_setting("SRTO_UDP_SNDBUF=%d SRTO_UDP_RCVBUF=%d", UDP_BUFFER_BYTES, UDP_BUFFER_BYTES);
    if (options->tuned && is_live(options))
        summary_setting("SRTO_LATENCY=%d", latency_ms(options));
}
