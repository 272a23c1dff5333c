/*
 * tokkyu-peer-srt: SRT, one connection for each camera. The sender calls, the receiver listens.
 *
 * Mode `live`: each sample is cut into messages (pieces.h), which SRT delivers a fixed latency after they
 * were sent, or not at all. Mode `message`, reliable: one message is one sample, with SRT's rate control for
 * files; tuned, samples are cut as in live mode, since live mode's rate control takes no longer messages.
 */
#include <stdio.h>
#include <string.h>

#include <srt/srt.h>

#include "connections.h"
#include "peer.h"
#include "pieces.h"
#include "sample.h"
#include "settings.h"

/* Between two packets. At 284 packets a picture there is one picture in three seconds. */
#define STANDSTILL_PERIOD_US 10000

/* What connections.h takes: a number, of which SRT_INVALID_SOCK is NO_CONNECTION. */
_Static_assert(sizeof(SRTSOCKET) == sizeof(int), "SRTSOCKET is an int");

static const struct options *options;

/* A socket of the mode at this end's address; SRT_INVALID_SOCK after an error, which a note tells. */
static SRTSOCKET make_socket(unsigned port)
{
    const SRTSOCKET made = srt_create_socket();
    const struct sockaddr_in own = endpoint(options->own, port);
    if (made != SRT_INVALID_SOCK && settings_apply(made, options)
        && srt_bind(made, (const struct sockaddr *)&own, sizeof own) != SRT_ERROR)
        return made;
    summary_note("--own %s, port %u: %s", options->own, port, srt_getlasterror_str());
    if (made != SRT_INVALID_SOCK)
        srt_close(made);
    return SRT_INVALID_SOCK;
}

/* One attempt, of 3 s at most; SRT_INVALID_SOCK if the other end is not there yet. */
static SRTSOCKET try_to_connect(unsigned camera)
{
    const SRTSOCKET made = make_socket(0);
    if (made == SRT_INVALID_SOCK)
        return made;
    const struct sockaddr_in other = endpoint(options->other, port_of(camera));
    if (srt_connect(made, (const struct sockaddr *)&other, sizeof other) != SRT_ERROR)
        return made;
    srt_close(made);
    return SRT_INVALID_SOCK;
}

static bool send_message(SRTSOCKET connection, const unsigned char *bytes, size_t size)
{
    const int forever = -1, in_order = 1;
    if (srt_sendmsg(connection, (const char *)bytes, (int)size, forever, in_order) != SRT_ERROR)
        return true;
    summary_note("srt_sendmsg: %s", srt_getlasterror_str());
    return false;
}

static bool send_pieces(SRTSOCKET connection, const unsigned char *sample, size_t size)
{
    const uint32_t sequence = sample_head_of(sample).sequence;
    unsigned char message[PIECE_BYTES];
    for (unsigned piece = 0; piece < pieces_of(size); piece++)
        if (!send_message(connection, message, piece_make(message, sample, size, sequence, piece)))
            return false;
    return true;
}

/*
 * A connection that has nearly stopped is told: SRT's rate control for files does that to itself after a
 * loss, and the figures alone would not say whose doing it was.
 */
static void note_standstill(SRTSOCKET connection)
{
    SRT_TRACEBSTATS now;
    const int clear = 0, instantaneous = 1;
    if (srt_bistats(connection, &now, clear, instantaneous) != SRT_ERROR
        && now.usPktSndPeriod > STANDSTILL_PERIOD_US)
        summary_note("picture begun while SRT's rate control sends less than 100 packets a second");
}

static enum offer offer(unsigned camera, const unsigned char *sample, size_t size)
{
    const SRTSOCKET connection = connection_of(camera);
    if (!is_cut(options))
        note_standstill(connection);
    const bool sent = is_cut(options) ? send_pieces(connection, sample, size)
                                       : send_message(connection, sample, size);
    return sent ? OFFER_GIVEN : OFFER_FAILED;
}

/* --- the receiver --- */

static void receive_pieces(unsigned camera, SRTSOCKET connection, unsigned char *sample)
{
    struct assembly assembly = {sample, options->size, 0, 0};
    unsigned char message[PIECE_BYTES];
    for (;;) {
        const int length = srt_recvmsg(connection, (char *)message, sizeof message);
        if (length == SRT_ERROR)
            return;
        if (piece_take(&assembly, message, (size_t)length))
            sample_arrived(camera, sample, options->size, now_ns());
    }
}

static void receive_messages(unsigned camera, SRTSOCKET connection, unsigned char *sample)
{
    for (;;) {
        const int length = srt_recvmsg(connection, (char *)sample, (int)options->size);
        const uint64_t at_ns = now_ns();
        if (length == SRT_ERROR)
            return;
        sample_arrived(camera, sample, (size_t)length, at_ns);
    }
}

static void receive(unsigned camera, SRTSOCKET connection, unsigned char *sample)
{
    (is_cut(options) ? receive_pieces : receive_messages)(camera, connection, sample);
    if (srt_getlasterror(NULL) != SRT_ECONNLOST)
        summary_note("srt_recvmsg: %s", srt_getlasterror_str());
}

static SRTSOCKET accept_sender(SRTSOCKET socket)
{
    const SRTSOCKET accepted = srt_accept(socket, NULL, NULL);
    if (accepted == SRT_INVALID_SOCK)
        summary_note("srt_accept: %s", srt_getlasterror_str());
    return accepted;
}

static SRTSOCKET listening_socket(unsigned camera)
{
    const SRTSOCKET made = make_socket(port_of(camera));
    if (made == SRT_INVALID_SOCK || srt_listen(made, 1) != SRT_ERROR)
        return made;
    summary_note("srt_listen: %s", srt_getlasterror_str());
    return SRT_INVALID_SOCK;
}

static bool open_srt(const struct options *given)
{
    options = given;
    settings_tell(options);
    /*
     * What matters of its messages comes as an error of a call; the rest would mix with ours on standard
     * error.
     */
    srt_setloglevel(LOG_CRIT);
    if (srt_startup() == SRT_ERROR) {
        summary_note("srt_startup: %s", srt_getlasterror_str());
        return false;
    }
    static const struct carrier carrier = {try_to_connect, listening_socket, accept_sender, receive};
    return connections_open(&carrier, options);
}

static const char *version(void)
{
    static char text[16];
    const unsigned number = srt_getversion();
    snprintf(text, sizeof text, "%u.%u.%u", number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
    return text;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"live", QOS_BIT(QOS_RELIABLE_ALL), NULL}, {"message", QOS_BIT(QOS_RELIABLE_ALL), NULL}, {NULL, 0, NULL}};
    static const struct peer peer = {"srt", modes, version, open_srt, connections_connect, connections_met, offer};
    return peer_main(&peer, argc, argv);
}
