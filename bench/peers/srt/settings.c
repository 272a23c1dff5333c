/* What SRT is told in each mode and variant; README.md argues for each of `tuned`. */
#include "settings.h"

#include <string.h>

#include "pieces.h"
#include "socket_limit.h"
#include "summary.h"

/* For the socket below SRT, whose default is 64 kB at a sender: less than the pieces of one image. */
#define UDP_BUFFER_BYTES (4 << 20)
/* Whether the receiver tells every 20 ms what is missing still, as it does in live mode. */
#define MESSAGE_REPORTS 1
/* SRT's own parity over rows and columns of packets. Resends do not wait for what parity may still repair. */
#define FILTER "fec,cols:10,rows:5,layout:staircase,arq:always"

bool is_live(const struct options *options)
{
    return strcmp(options->mode->word, "live") == 0;
}

bool is_cut(const struct options *options)
{
    return is_live(options) || options->tuned;
}

/* How long the bottleneck needs for one tick of all cameras. */
static uint64_t burst_us(const struct options *options)
{
    return options->rate_kbit == 0 ? 0 : options->images * options->size * 8 * 1000 / options->rate_kbit;
}

/* Whether the bottleneck carries the filter's packets as well: 1 in 10 for rows, 1 in 5 for columns. */
static bool has_room_for_filter(const struct options *options)
{
    const uint64_t offered_kbit = options->images * options->size * 8 * 1000000 / options->period_ns;
    return offered_kbit * 13 / 10 <= options->rate_kbit;
}

/*
 * A lost packet is asked for at once; a lost resend with the next periodic report of what is missing, up to
 * 20 ms later, whatever the round trip. Five such rounds repair 5 % loss; with the filter three are enough.
 */
static int latency_ms(const struct options *options)
{
    const uint64_t rounds = has_room_for_filter(options) ? 3 : 5;
    return (int)((burst_us(options) + rounds * (options->rtt_us + 20000)) / 1000);
}

/*
 * Bytes a second of one connection: its share of the bottleneck, else all cameras send at once at 1 Gbit/s
 * each.
 */
static int64_t bandwidth(const struct options *options)
{
    return (int64_t)(options->rate_kbit * 1000 / 8 / options->images);
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

static bool tune_live(SRTSOCKET socket, const struct options *options)
{
    const int latency = latency_ms(options);
    const int64_t most = bandwidth(options);
    return set(socket, SRTO_LATENCY, "SRTO_LATENCY", &latency, sizeof latency)
        && (!has_room_for_filter(options)
            || set(socket, SRTO_PACKETFILTER, "SRTO_PACKETFILTER", FILTER, sizeof FILTER - 1))
        && (most == 0 || set(socket, SRTO_MAXBW, "SRTO_MAXBW", &most, sizeof most));
}

/*
 * Reliable as before, with no time to be delivered at and nothing left out, but sent at a rate that is given
 * and not found: SRT's rate control for files leaves its slow start at the first loss with 16 packets a
 * second and gains from there too slowly for any run (Haivision/srt#2313). The rate control of live mode takes no
 * message that is longer than a packet, so samples are cut.
 */
static bool tune_message(SRTSOCKET socket, const struct options *options)
{
    const int payload = PIECE_BYTES;
    const bool reports = MESSAGE_REPORTS;
    const int64_t most = bandwidth(options);
    return set(socket, SRTO_CONGESTION, "SRTO_CONGESTION", "live", 4)
        && set(socket, SRTO_PAYLOADSIZE, "SRTO_PAYLOADSIZE", &payload, sizeof payload)
        && set(socket, SRTO_NAKREPORT, "SRTO_NAKREPORT", &reports, sizeof reports)
        && (most == 0 || set(socket, SRTO_MAXBW, "SRTO_MAXBW", &most, sizeof most));
}

static bool tune(SRTSOCKET socket, const struct options *options)
{
    const int buffer = UDP_BUFFER_BYTES;
    return set(socket, SRTO_UDP_SNDBUF, "SRTO_UDP_SNDBUF", &buffer, sizeof buffer)
        && set(socket, SRTO_UDP_RCVBUF, "SRTO_UDP_RCVBUF", &buffer, sizeof buffer)
        && (is_live(options) ? tune_live : tune_message)(socket, options);
}

bool settings_apply(SRTSOCKET socket, const struct options *options)
{
    return set_mode(socket, options) && (!options->tuned || tune(socket, options));
}

void settings_tell(const struct options *options)
{
    summary_setting("SRTO_TRANSTYPE=%s SRTO_MESSAGEAPI=1", is_live(options) ? "SRTT_LIVE" : "SRTT_FILE");
    if (!options->tuned)
        return;
    summary_setting("SRTO_UDP_SNDBUF=SRTO_UDP_RCVBUF=%d", UDP_BUFFER_BYTES);
    if (is_live(options))
        summary_setting("SRTO_LATENCY=%d SRTO_MAXBW=%lld SRTO_PACKETFILTER=%s", latency_ms(options),
                        (long long)bandwidth(options), has_room_for_filter(options) ? FILTER : "none");
    else
        summary_setting("SRTO_CONGESTION=live SRTO_PAYLOADSIZE=%d SRTO_NAKREPORT=%d SRTO_MAXBW=%lld", PIECE_BYTES,
                        MESSAGE_REPORTS, (long long)bandwidth(options));
    socket_limit_note(UDP_BUFFER_BYTES);
}
