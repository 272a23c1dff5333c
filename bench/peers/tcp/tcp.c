/*
 * tokkyu-peer-tcp: TCP of this kernel, one connection for each camera, `size` in four bytes before each
 * sample.
 *
 * The mode is the congestion control. Condition 3: every image is queued, a full socket blocks the camera.
 * Condition 2: an image is skipped while some of the one before has not been sent (SIOCOUTQNSD). What is on
 * its way and not acknowledged yet is no reason to skip: on a long path that would be every image.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "connections.h"
#include "peer.h"
#include "sample.h"

#define PREFIX_BYTES 4

/* Newer than the headers of most distributions; a kernel without it refuses it, which a note tells. */
#ifndef TCP_RTO_MIN_US
#define TCP_RTO_MIN_US 45
#endif

static const struct options *options;

/*
 * The kernel waits 200 ms at least for an acknowledgement that does not come: two of the paper's pictures.
 * Two round trips are enough for it to come late, behind a queue, and not be taken for lost; 5 ms are for
 * hosts that are busy.
 */
static int least_timeout_us(void)
{
    return (int)options->rtt_us * 2 + 5000;
}

static void shorten_timeout(int socket)
{
    const int least_us = least_timeout_us();
    if (setsockopt(socket, IPPROTO_TCP, TCP_RTO_MIN_US, &least_us, sizeof least_us) != 0)
        summary_note("this kernel has no TCP_RTO_MIN_US: retransmission timeouts stay at 200 ms or more");
}

static void tune(int socket)
{
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    shorten_timeout(socket);
}

/* A socket with the mode's congestion control; NO_CONNECTION after an error, which a note tells. */
static int make_socket(void)
{
    const char *algorithm = options->mode->word;
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) {
        summary_note("socket: %s", strerror(errno));
        return NO_CONNECTION;
    }
    if (setsockopt(made, IPPROTO_TCP, TCP_CONGESTION, algorithm, (socklen_t)strlen(algorithm)) != 0) {
        summary_note("--mode %s: %s; load the module: modprobe tcp_%s", algorithm, strerror(errno), algorithm);
        close(made);
        return NO_CONNECTION;
    }
    if (options->tuned)
        tune(made);
    return made;
}

/* One attempt; NO_CONNECTION if the other end is not there yet. */
static int try_to_connect(unsigned camera)
{
    const int made = make_socket();
    if (made < 0)
        return NO_CONNECTION;
    const struct sockaddr_in own = endpoint(options->own, 0);
    const struct sockaddr_in other = endpoint(options->other, port_of(camera));
    if (bind(made, (const struct sockaddr *)&own, sizeof own) == 0
        && connect(made, (const struct sockaddr *)&other, sizeof other) == 0)
        return made;
    close(made);
    return NO_CONNECTION;
}

/* Sends all of it, however often the socket takes a part. */
static bool send_whole(int socket, struct iovec *parts, int count)
{
    while (count > 0) {
        const ssize_t sent = writev(socket, parts, count);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        size_t left = (size_t)sent;
        for (; count > 0 && left >= parts->iov_len; parts++, count--)
            left -= parts->iov_len;
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + left;
            parts->iov_len -= left;
        }
    }
    return true;
}

static bool holds_unsent(int socket)
{
    int bytes = 0;
    return ioctl(socket, SIOCOUTQNSD, &bytes) == 0 && bytes > 0;
}

static enum offer offer(unsigned camera, const unsigned char *sample, size_t size)
{
    const int connection = connection_of(camera);
    if (options->qos == QOS_RELIABLE_LAST_1 && holds_unsent(connection))
        return OFFER_SKIPPED;
    unsigned char prefix[PREFIX_BYTES];
    put_u32(prefix, (uint32_t)size);
    struct iovec parts[] = {{prefix, sizeof prefix}, {(void *)sample, size}};
    if (send_whole(connection, parts, 2))
        return OFFER_GIVEN;
    summary_note("send: %s", strerror(errno));
    return OFFER_FAILED;
}

/* --- the receiver --- */

static bool receive_whole(int socket, unsigned char *bytes, size_t size)
{
    for (size_t have = 0; have < size;) {
        const ssize_t got = recv(socket, bytes + have, size - have, MSG_WAITALL);
        if (got < 0 && errno != EINTR)
            summary_note("recv: %s", strerror(errno));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        have += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static void receive_samples(unsigned camera, int connection, unsigned char *sample)
{
    unsigned char prefix[PREFIX_BYTES];
    while (receive_whole(connection, prefix, sizeof prefix)) {
        /* A stream whose lengths are wrong has no next sample to be found. */
        if (get_u32(prefix) != options->size) {
            summary_note("sample of a wrong size");
            return;
        }
        if (!receive_whole(connection, sample, options->size))
            return;
        sample_arrived(camera, sample, options->size, now_ns());
    }
}

static int accept_sender(int socket)
{
    const int accepted = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0)
        summary_note("accept: %s", strerror(errno));
    return accepted < 0 ? NO_CONNECTION : accepted;
}

static int listening_socket(unsigned camera)
{
    const int made = make_socket();
    if (made < 0)
        return NO_CONNECTION;
    const int yes = 1;
    const struct sockaddr_in own = endpoint(options->own, port_of(camera));
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(made, (const struct sockaddr *)&own, sizeof own) == 0 && listen(made, 1) == 0)
        return made;
    summary_note("--own %s, port %u: %s", options->own, port_of(camera), strerror(errno));
    close(made);
    return NO_CONNECTION;
}

/* A sender finds out here, and not in a camera's thread, that the kernel lacks the congestion control. */
static bool can_make_sockets(void)
{
    const int probe = make_socket();
    if (probe >= 0)
        close(probe);
    return probe >= 0;
}

static bool open_tcp(const struct options *given)
{
    options = given;
    summary_setting("TCP_CONGESTION=%s", options->mode->word);
    if (options->tuned)
        summary_setting("TCP_NODELAY=1 TCP_RTO_MIN_US=%d", least_timeout_us());
    static const struct carrier carrier = {try_to_connect, listening_socket, accept_sender, receive_samples};
    return (options->role == ROLE_RECEIVE || can_make_sockets()) && connections_open(&carrier, options);
}

static const char *version(void)
{
    static struct utsname kernel;
    return uname(&kernel) == 0 ? kernel.release : "unknown";
}

int main(int argc, char **argv)
{
    static const unsigned conditions = QOS_BIT(QOS_RELIABLE_ALL) | QOS_BIT(QOS_RELIABLE_LAST_1);
    static const struct mode modes[] = {{"cubic", conditions, NULL}, {"bbr", conditions, NULL}, {NULL, 0, NULL}};
    static const struct peer peer = {"tcp", modes, version, open_tcp, connections_connect, connections_met, offer};
    return peer_main(&peer, argc, argv);
}
