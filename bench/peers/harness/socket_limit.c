/* Asks the kernel with a socket of its own; see socket_limit.h. */
#include "socket_limit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "summary.h"

static void note_one(int socket, int option, const char *limit, int bytes)
{
    int granted = 0;
    socklen_t length = sizeof granted;
    setsockopt(socket, SOL_SOCKET, option, &bytes, sizeof bytes);
    /* The kernel doubles what it grants, for its own bookkeeping. */
    if (getsockopt(socket, SOL_SOCKET, option, &granted, &length) == 0 && granted / 2 < bytes)
        summary_note("net.core.%s allows %d of the %d bytes asked for: sysctl -w net.core.%s=%d", limit, granted / 2,
                     bytes, limit, bytes);
}

void socket_limit_note(int bytes)
{
    const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return;
    note_one(probe, SO_RCVBUF, "rmem_max", bytes);
    note_one(probe, SO_SNDBUF, "wmem_max", bytes);
    close(probe);
}
