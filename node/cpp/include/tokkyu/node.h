/* Robot nodes for C, and what the headers in ros/ stand on.
 *
 * Handles are made by tk_..._new, tk_advertise and the like, and given back once by the function named with them. A handle that is NULL was not made:
 * tk_last_error says why, in the thread that asked. Texts are UTF-8 and end with a zero byte; those that are given out are freed by tk_text_free.
 * All functions may be called from any thread, also from callbacks, unless said otherwise. Times are nanoseconds.
 */
#ifndef TOKKYU_NODE_H
#define TOKKYU_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why the last call of this thread failed; valid until its next one. */
const char *tk_last_error(void);
void tk_text_free(char *text);

/* ---- Nodes ---- */

typedef struct tk_node tk_node;

/* Numbers behind the name, so that many of that name can run. */
#define TK_ANONYMOUS 1u

/* A node of that name. Arguments that rename, name or set count (NODE-46), others are passed over: the program's own name need not be left out. */
tk_node *tk_node_new(const char *name, const char *const *arguments, size_t count, uint32_t flags);
/* Lets go of the node; it ends if it has not ended. Not from within one of its callbacks. */
void tk_node_free(tk_node *node);
/* Ends it: the master is told, connections are closed, spinning stops. */
void tk_node_shutdown(const tk_node *node);
/* Calls the listener once when the node begins to end, whoever ends it; at once if it has. From any thread. */
void tk_node_on_end(const tk_node *node, void (*listener)(void *user), void *user);
/* Calls the listener with who asks and why when another node (rosnode kill) or the master asks it to end; the program says true to see to that itself.
 * From the node's network thread: it must not wait. */
void tk_node_on_shutdown_call(const tk_node *node, bool (*listener)(void *user, const char *caller, const char *reason), void *user);
/* Whether nobody has ended it. */
bool tk_node_is_ok(const tk_node *node);
/* Whether an argument of a program is for its node. */
bool tk_is_remapping(const char *argument);

enum tk_about {
    TK_NAME,       /* its global name */
    TK_NAMESPACE,  /* where its relative names are */
    TK_URI,        /* where its slave API is */
    TK_MASTER_URI, /* where its master is */
    TK_HOST        /* what other nodes reach this machine by */
};
char *tk_node_about(const tk_node *node, enum tk_about what);
/* What a name is in the graph: resolved and, if asked for, renamed. NULL: it is no name. */
char *tk_node_resolve(const tk_node *node, const char *name, bool renames);

/* Whether this node publishes the topic, a global name. */
bool tk_node_publishes(const tk_node *node, const char *topic);

/* Calls the listener with each simulated time, and with 0 when time begins to be simulated and none has come. From a thread of the node. */
void tk_node_on_simulated_time(const tk_node *node, void (*listener)(void *user, uint64_t nanos), void *user);

/* ---- What is said ---- */

enum tk_level { TK_DEBUG, TK_INFO, TK_WARN, TK_ERROR, TK_FATAL };
bool tk_is_heard(const tk_node *node, const char *logger, enum tk_level level);
/* On the terminal, and to /rosout. file and function may be NULL. */
void tk_say(const tk_node *node, const char *logger, enum tk_level level, const char *file, const char *function,
            uint32_t line, const char *text);
/* A line on the terminal alone, in the form of ROSCONSOLE_FORMAT, with no node. node: a name, or "". simulated: now, or 0: time is not simulated. */
void tk_print(const char *node, const char *logger, enum tk_level level, const char *file, const char *function,
              uint32_t line, uint64_t simulated, const char *text);
/* A logger's level from now on. */
void tk_set_level(const tk_node *node, const char *logger, enum tk_level level);

/* ---- Queues of callbacks ---- */

typedef struct tk_queue tk_queue;
/* A queue of its own. It is in use once something is made with it. */
tk_queue *tk_queue_new(void);
/* The node's own queue; another handle each time. */
tk_queue *tk_node_queue(const tk_node *node);
/* Lets go of it; what was made with it keeps it. */
void tk_queue_free(tk_queue *queue);
/* How often it was woken. */
uint32_t tk_queue_wakes(const tk_queue *queue);
/* Waits so long for a callback (less than 0: as long as its node runs) and calls it. False: there was none, or the queue was woken since it had been
   so often. A thread that waits until it is told to go asks for `wakes` first, looks whether it was told, then calls this; in another order it may
   wait for what has been. */
bool tk_queue_call_one(const tk_queue *queue, int64_t timeout, uint32_t wakes);
/* Calls callbacks until the node ends. Several threads may. */
void tk_queue_spin(const tk_queue *queue);
/* Calls the callbacks that are due. */
void tk_queue_spin_once(const tk_queue *queue);
/* Whether it has stopped: its node has ended. */
bool tk_queue_is_stopped(const tk_queue *queue);
/* Whether a callback waits for a thread. */
bool tk_queue_has_waiting(const tk_queue *queue);
/* Forgets the callbacks that wait: samples are lost, a timer that is called once is over, who calls a service is told that there is no answer. */
void tk_queue_discard(const tk_queue *queue);
/* Wakes who waits at the queue: tk_queue_call_one returns false once, tk_queue_spin_once ends after the callback that it is in. */
void tk_queue_wake(const tk_queue *queue);

/* ---- Topics ---- */

/* A type; "*" is any. definition: the whole text, of a topic. */
typedef struct tk_kind {
    const char *datatype;
    const char *md5sum;
    const char *definition;
} tk_kind;

/* What can be done with an object that is published as it is: a message of the program's language. */
typedef struct tk_object_ops {
    /* Tells types apart; what it points to is the program's affair. */
    const void *type;
    /* Bytes of its wire form. */
    size_t (*wire_len)(const void *object);
    /* Writes the wire form, of exactly that many bytes. */
    void (*write)(const void *object, uint8_t *out, size_t len);
    /* Nobody has it any more. From any thread. */
    void (*release)(void *object);
} tk_object_ops;

typedef struct tk_publisher tk_publisher;

typedef struct tk_publisher_options {
    uint32_t depth;      /* queue of each link over the network; 0: as deep as possible */
    bool is_latched;     /* the last message is kept for who subscribes later */
    uint32_t slot_bytes; /* memory of each slot at the beginning */
    /* Somebody subscribed (true) or left; may be NULL. From a thread of the node: it must not wait. Not once all handles are free. */
    void (*on_change)(void *user, const char *callerid, bool is_new);
    void *user;
    void (*free_user)(void *user); /* may be NULL */
} tk_publisher_options;

/* Publishes a topic. Waits until the master knows. */
tk_publisher *tk_advertise(const tk_node *node, const char *topic, const tk_kind *kind,
                           const tk_publisher_options *options);
/* The topic is published until all its handles are free. */
void tk_publisher_free(tk_publisher *publisher);
/* Publishes an object, which is the node's from now on, whether this succeeds or not. Never waits. ops must stay as they are. */
bool tk_publish_object(const tk_publisher *publisher, void *object, const tk_object_ops *ops);
uint32_t tk_publisher_subscribers(const tk_publisher *publisher);
bool tk_publisher_is_latched(const tk_publisher *publisher);
char *tk_publisher_topic(const tk_publisher *publisher);

typedef struct tk_loan tk_loan;
/* A slot with len bytes for a wire form, at *bytes. */
tk_loan *tk_loan_new(const tk_publisher *publisher, size_t len, uint8_t **bytes);
/* Publishes what was filled in. The loan is over, whether this succeeds or not. */
bool tk_loan_publish(tk_loan *loan);
/* Gives the slot back. */
void tk_loan_free(tk_loan *loan);

/* A sample, valid during the callback. */
typedef struct tk_delivery tk_delivery;
/* The object that was published in this process, with its ops; NULL: it came in its wire form. */
const void *tk_delivery_object(const tk_delivery *delivery, const tk_object_ops **ops);
/* The wire form. */
const uint8_t *tk_delivery_wire(tk_delivery *delivery, size_t *len);
/* Its number at its link, and how many before it were lost. */
uint32_t tk_delivery_sequence(const tk_delivery *delivery);
uint32_t tk_delivery_missed(const tk_delivery *delivery);
/* Where it comes from: another number for each link of the node. */
uint32_t tk_delivery_link(const tk_delivery *delivery);
enum tk_field { TK_CALLERID, TK_TOPIC, TK_TYPE, TK_MD5SUM, TK_DEFINITION, TK_LATCHING };
char *tk_delivery_field(const tk_delivery *delivery, enum tk_field field);

typedef struct tk_subscription tk_subscription;

typedef struct tk_subscription_options {
    uint32_t depth;      /* queue of each link to a publisher; 0: as deep as possible */
    bool no_delay;       /* small messages are sent at once */
    uint32_t slot_bytes; /* memory of each slot at the beginning */
    void (*callback)(void *user, tk_delivery *delivery);
    void *user;
    void (*free_user)(void *user); /* may be NULL */
} tk_subscription_options;

/* Subscribes to a topic; callbacks come from the threads that call the queue's (NULL: the node's). Waits until the master knows. */
tk_subscription *tk_subscribe(const tk_node *node, const tk_queue *queue, const char *topic, const tk_kind *kind,
                              const tk_subscription_options *options);
/* Afterwards the callback does not run any more, unless this is called from within it. */
void tk_subscription_free(tk_subscription *subscription);
uint32_t tk_subscription_publishers(const tk_subscription *subscription);
char *tk_subscription_topic(const tk_subscription *subscription);

/* ---- Timers ---- */

typedef struct tk_timer tk_timer;

/* Nanoseconds since 1970 by the node's clock; with is_steady, of the monotonic clock. */
typedef struct tk_timer_event {
    uint64_t last_expected, last_real, current_expected, current_real, last_duration;
} tk_timer_event;

typedef struct tk_timer_options {
    uint64_t period;
    bool is_once;
    bool is_steady; /* by the monotonic clock, simulated time or not */
    void (*callback)(void *user, const tk_timer_event *event);
    void *user;
    void (*free_user)(void *user); /* may be NULL */
} tk_timer_options;

tk_timer *tk_timer_new(const tk_node *node, const tk_queue *queue, const tk_timer_options *options);
/* Its period from now on, counted from now or from the last call. */
void tk_timer_set_period(const tk_timer *timer, uint64_t period, bool is_from_now);
/* Whether its callback is due and waits for a thread. */
bool tk_timer_has_waiting(const tk_timer *timer);
/* As tk_subscription_free. */
void tk_timer_free(tk_timer *timer);

/* ---- Services ---- */

typedef struct tk_server tk_server;
typedef struct tk_answer tk_answer;
/* What is answered; to be called in the callback, once. is_done false: bytes are the reason why not. */
void tk_answer_set(tk_answer *answer, bool is_done, const uint8_t *bytes, size_t len);

typedef struct tk_server_options {
    /* By several threads at once, for different callers, if several threads call the queue's. */
    void (*callback)(void *user, const char *callerid, const uint8_t *request, size_t len, tk_answer *answer);
    void *user;
    void (*free_user)(void *user); /* may be NULL */
} tk_server_options;

tk_server *tk_serve(const tk_node *node, const tk_queue *queue, const char *service, const tk_kind *kind,
                    const tk_server_options *options);
/* As tk_subscription_free. */
void tk_server_free(tk_server *server);
char *tk_server_service(const tk_server *server);

typedef struct tk_client tk_client;
/* kind NULL: any type, to see whether the service is there. One thread at a time. */
/* Of a persistent one the connection is made here, if the service is there; once it is lost, calls fail. */
tk_client *tk_client_new(const tk_node *node, const char *service, const tk_kind *kind, bool is_persistent);
void tk_client_free(tk_client *client);
/* Calls the service and waits. take is called with the answer, or is not called at all. */
bool tk_client_call(tk_client *client, const uint8_t *request, size_t len,
                    void (*take)(void *user, const uint8_t *answer, size_t len), void *user);
bool tk_client_exists(const tk_client *client);
/* timeout less than 0: as long as the node runs. */
bool tk_client_wait(const tk_client *client, int64_t timeout);
/* Whether a connection is kept, and the service has not closed it. */
bool tk_client_is_connected(const tk_client *client);

/* ---- Values: parameters, and what the master says ---- */

typedef struct tk_value tk_value;
enum tk_value_kind { TK_NIL, TK_BOOL, TK_INT, TK_DOUBLE, TK_TEXT, TK_BINARY, TK_LIST, TK_MAP };
tk_value *tk_value_bool(bool value);
tk_value *tk_value_int(int32_t value);
/* By its bits, as the library may pass such numbers otherwise than the program does (on a board). */
tk_value *tk_value_double_bits(uint64_t bits);
static inline tk_value *tk_value_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return tk_value_double_bits(bits);
}
tk_value *tk_value_text(const char *text);
tk_value *tk_value_binary(const uint8_t *bytes, size_t len);
tk_value *tk_value_list(void);
tk_value *tk_value_map(void);
/* Put an item into a list (name NULL) or a map; the item is part of it from now on. */
void tk_value_add(tk_value *value, const char *name, tk_value *item);
void tk_value_free(tk_value *value);

enum tk_value_kind tk_value_kind_of(const tk_value *value);
/* Of another kind than asked for: 0, or NULL. */
bool tk_value_as_bool(const tk_value *value);
int32_t tk_value_as_int(const tk_value *value);
uint64_t tk_value_as_double_bits(const tk_value *value);
static inline double tk_value_as_double(const tk_value *value)
{
    const uint64_t bits = tk_value_as_double_bits(value);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
char *tk_value_as_text(const tk_value *value);
const uint8_t *tk_value_as_binary(const tk_value *value, size_t *len);
/* Items of a list or a map, in order; valid as long as the value. */
size_t tk_value_count(const tk_value *value);
const tk_value *tk_value_item(const tk_value *value, size_t index);
char *tk_value_item_name(const tk_value *value, size_t index);

/* A method of the master, with the node's name in front of the arguments, a list. NULL: it refused, or (tk_was_refused false) was not reached.
 * waits: also for a master that is not there. */
tk_value *tk_master_call(const tk_node *node, const char *method, const tk_value *arguments, bool waits);
bool tk_was_refused(void);
/* The same from this thread, with no node: before there is one, or after it has ended. caller: its name, the first argument. */
tk_value *tk_ask_master(const char *uri, const char *caller, const char *method, const tk_value *arguments);

/* A parameter as the master told it last: it is asked once, and tells of changes from then on. NULL: it is not set (tk_was_refused), or the master
 * was not reached. */
tk_value *tk_param_cached(const tk_node *node, const char *name);
/* This program has set it: the master is asked for the next cached value. NULL: for all. */
void tk_param_forget(const tk_node *node, const char *name);

#ifdef __cplusplus
}
#endif

#endif
