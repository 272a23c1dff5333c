/* Whether the kernel lets a library have the socket buffers it is told to ask for. */
#ifndef TOKKYU_PEER_SOCKET_LIMIT_H
#define TOKKYU_PEER_SOCKET_LIMIT_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Notes how much of `bytes` the kernel would grant, if it is less. The libraries ask with SO_RCVBUF and
 * SO_SNDBUF, which net.core.rmem_max and wmem_max limit in silence, and none offers SO_RCVBUFFORCE.
 */
void socket_limit_note(int bytes);

#ifdef __cplusplus
}
#endif
#endif
