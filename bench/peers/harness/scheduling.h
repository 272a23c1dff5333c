/* The place of the program on the machine: real-time class and locked memory (PEER-23). */
#ifndef TOKKYU_PEER_SCHEDULING_H
#define TOKKYU_PEER_SCHEDULING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scheduling {
    bool fifo;
    bool memory_locked;
};

/* Asks for both and says what was granted. Call it before any thread is made: threads inherit the class. */
struct scheduling scheduling_ask(int priority);

#ifdef __cplusplus
}
#endif
#endif
