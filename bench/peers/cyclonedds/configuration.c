/*
 * What Cyclone DDS is told (PEER-3): in `default` what it needs to meet the other end, in `tuned` what README.md argues.
 * The library reads these files of its own; element names are those of its manual, "Configuration reference", 0.10.
 */
#include "configuration.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

/* An Ethernet packet of 1500 bytes less the headers of IP and UDP. */
#define DATAGRAM_BYTES 1472
/* The same less RTPS header, timestamp, destination and the head of one DATA_FRAG, and room for a heartbeat. */
#define FRAGMENT_BYTES 1380

struct text {
    char *bytes;
    size_t size;
    size_t used;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t left = text->used < text->size ? text->size - text->used : 0;
    text->used += (size_t)vsnprintf(text->bytes + (text->size - left), left, format, arguments);
    va_end(arguments);
}

/*
 * The wire has no multicast, so both ends name each other and take the ports of numbered participants. Announcements
 * every 500 ms instead of 8 s: with packets lost, the ends would often not have met in the 5 s that they have.
 */
static void add_discovery(struct text *text, const struct options *options)
{
    add(text, "<Discovery><ParticipantIndex>auto</ParticipantIndex><SPDPInterval>500 ms</SPDPInterval>");
    add(text, "<Peers><Peer address=\"%s\"/></Peers></Discovery>", options->other);
}

static void add_general(struct text *text, const struct options *options)
{
    add(text, "<General><Interfaces><NetworkInterface address=\"%s\"/></Interfaces>", options->own);
    add(text, "<AllowMulticast>false</AllowMulticast>");
    if (options->tuned)
        add(text, "<MaxMessageSize>%d B</MaxMessageSize><MaxRexmitMessageSize>%d B</MaxRexmitMessageSize>"
                  "<FragmentSize>%d B</FragmentSize>", DATAGRAM_BYTES, DATAGRAM_BYTES, FRAGMENT_BYTES);
    add(text, "</General>");
}

static unsigned env(const char *name, unsigned otherwise)
{
    const char *v = getenv(name);
    return v ? (unsigned)atoi(v) : otherwise;
}

static void add_internal(struct text *text, const struct options *options)
{
    const unsigned rtt_us = (unsigned)options->rtt_us;
    const unsigned nack_us = env("NACK", rtt_us * 6 / 5 + 1000);
    const unsigned again_us = env("AGAIN", nack_us * 2);
    const unsigned heartbeat_us = env("HB", 10000);
    const unsigned queue = env("REX", 4096), high = env("HIGH", 16384), burst=env("BURST", 1024);
    add(text, "<Internal><NackDelay>%u us</NackDelay><AutoReschedNackDelay>%u us</AutoReschedNackDelay>", nack_us, again_us);
    add(text, "<HeartbeatInterval min=\"%u us\" minsched=\"%u us\" max=\"%u us\">%u us</HeartbeatInterval>",
        env("HBMIN", heartbeat_us / 4), env("HBSCHED", heartbeat_us), env("HBMAX", heartbeat_us * 10), heartbeat_us);
    add(text, "<RetransmitMergingPeriod>%u us</RetransmitMergingPeriod>", env("MERGE", 0));
    add(text, "<MaxQueuedRexmitBytes>%u kB</MaxQueuedRexmitBytes><MaxQueuedRexmitMessages>%u</MaxQueuedRexmitMessages>", queue, env("REXM", 4000));
    add(text, "<BurstSize><MaxRexmit>%u kB</MaxRexmit></BurstSize>", burst);
    add(text, "<SocketReceiveBufferSize min=\"4 MB\" max=\"16 MB\"/><SocketSendBufferSize min=\"4 MB\"/>");
    add(text, "<Watermarks><WhcHigh>%u kB</WhcHigh><WhcHighInit>%u kB</WhcHighInit></Watermarks>", high, high);
    if (getenv("EXTRA")) add(text, "%s", getenv("EXTRA"));
    add(text, "</Internal>");
    summary_setting("NackDelay=%uus AutoReschedNackDelay=%uus", nack_us, again_us);
}

bool configuration_write(const struct options *options, char *xml, size_t size)
{
    struct text text = {xml, size, 0};
    add(&text, "<CycloneDDS><Domain Id=\"any\">");
    add_general(&text, options);
    add_discovery(&text, options);
    if (options->tuned)
        add_internal(&text, options);
    add(&text, "</Domain></CycloneDDS>");
    return text.used < size;
}
