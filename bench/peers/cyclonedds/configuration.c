/*
 * What Cyclone DDS is told (PEER-3): in `default` what it needs to meet the other end, in `tuned` what
 * README.md argues. Element names are those of the library's manual, "Configuration reference", 0.10.
 */
#include "configuration.h"

#include <stdarg.h>
#include <stdio.h>

#include "socket_limit.h"
#include "summary.h"

/* An Ethernet packet of 1500 bytes less the headers of IP and UDP. */
#define DATAGRAM_BYTES 1472
/*
 * The same less the RTPS header (20), a timestamp (12), a destination (16, in resends) and the head of a
 * fragment (36). More than that, and IP cuts the resends in two.
 */
#define FRAGMENT_BYTES 1388
#define SOCKET_BUFFER_MB 4
/* Room for the histories of condition 1 at the writer, and for the resends of a few pictures. */
#define HISTORY_KB 16384
#define RESENDS_KB 4096
#define RESENDS 4096

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
 * The wire has no multicast, so both ends name each other and take the ports of numbered participants.
 * Announcements every 500 ms instead of many seconds: with packets lost, the ends would often not have met in
 * the 5 s that they have.
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
    if (options->tuned) {
        add(text, "<MaxMessageSize>%d B</MaxMessageSize>", DATAGRAM_BYTES);
        add(text, "<MaxRexmitMessageSize>%d B</MaxRexmitMessageSize>", DATAGRAM_BYTES);
        add(text, "<FragmentSize>%d B</FragmentSize>", FRAGMENT_BYTES);
        summary_setting("MaxMessageSize=MaxRexmitMessageSize=%d FragmentSize=%d", DATAGRAM_BYTES, FRAGMENT_BYTES);
    }
    add(text, "</General>");
}

static unsigned at_least(unsigned least, unsigned value)
{
    return value > least ? value : least;
}

/*
 * Cyclone repairs one sample of a writer at a time, and asks for the same fragments again after NackDelay.
 * Less than the round trip makes some resends come twice, but a resend that is lost itself holds up all
 * samples behind it for less time.
 */
static unsigned nack_delay_us(const struct options *options)
{
    return at_least(3000, (unsigned)options->rtt_us * 2 / 5);
}

static unsigned heartbeat_us(const struct options *options)
{
    return at_least(10000, (unsigned)options->rtt_us * 2 / 5);
}

static void add_times(struct text *text, const struct options *options)
{
    const unsigned nack = nack_delay_us(options), heartbeat = heartbeat_us(options);
    add(text, "<NackDelay>%u us</NackDelay><AutoReschedNackDelay>%u us</AutoReschedNackDelay>", nack, nack);
    add(text, "<HeartbeatInterval min=\"%u us\" minsched=\"%u us\" max=\"%u us\">%u us</HeartbeatInterval>",
        heartbeat / 4, heartbeat, heartbeat * 10, heartbeat);
    add(text, "<RetransmitMergingPeriod>0 s</RetransmitMergingPeriod>");
    summary_setting("NackDelay=AutoReschedNackDelay=%uus HeartbeatInterval=%uus RetransmitMergingPeriod=0", nack,
                    heartbeat);
}

static void add_buffers(struct text *text)
{
    add(text, "<MaxQueuedRexmitBytes>%d kB</MaxQueuedRexmitBytes>", RESENDS_KB);
    add(text, "<MaxQueuedRexmitMessages>%d</MaxQueuedRexmitMessages>", RESENDS);
    /* Only a maximum is asked for: the library refuses to start if it cannot have the minimum. */
    add(text, "<SocketReceiveBufferSize max=\"%d MB\"/><SocketSendBufferSize max=\"%d MB\"/>", SOCKET_BUFFER_MB,
        SOCKET_BUFFER_MB);
    add(text, "<Watermarks><WhcHigh>%d kB</WhcHigh><WhcHighInit>%d kB</WhcHighInit></Watermarks>", HISTORY_KB,
        HISTORY_KB);
    summary_setting("MaxQueuedRexmitBytes=%dkB WhcHigh=WhcHighInit=%dkB socket_buffers=%dMB", RESENDS_KB, HISTORY_KB,
                    SOCKET_BUFFER_MB);
    socket_limit_note(SOCKET_BUFFER_MB << 20);
}

static void add_internal(struct text *text, const struct options *options)
{
    add(text, "<Internal>");
    add_times(text, options);
    add_buffers(text);
    add(text, "</Internal>");
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
