#define _GNU_SOURCE
#include "bell.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rung;
static bool ended, data, line;
static int readers;

int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void ring(bool *what) {
    pthread_mutex_lock(&lock);
    *what = true;
    pthread_cond_broadcast(&rung);
    pthread_mutex_unlock(&lock);
}

// Which words come does not matter: a line is a line.
static bool stdin_is_open(void) {
    char words[256];
    ssize_t got = read(STDIN_FILENO, words, sizeof words);
    if (got > 0 && memchr(words, '\n', (size_t)got) != NULL) ring(&line);
    return got > 0;
}

static void *watch(void *signals) {
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = *(int *)signals, .events = POLLIN}};
    do {
        poll(watched, 2, -1);
    } while (watched[1].revents == 0 && (watched[0].revents == 0 || stdin_is_open()));
    ring(&ended);
    return NULL;
}

void bell_hang(void) {
    static int signals;
    static pthread_t watcher;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_CLOEXEC);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&rung, &clock);
    if (signals < 0 || pthread_create(&watcher, NULL, watch, &signals) != 0) {
        perror("a thread that watches standard input");
        exit(1);
    }
}

void bell_ring_data(void) { ring(&data); }

void bell_ring_readers(int matched) {
    pthread_mutex_lock(&lock);
    readers = matched;
    pthread_cond_broadcast(&rung);
    pthread_mutex_unlock(&lock);
}

bool bell_wait_data(void) {
    pthread_mutex_lock(&lock);
    while (!data && !ended) pthread_cond_wait(&rung, &lock);
    bool go_on = !ended;
    data = false;
    pthread_mutex_unlock(&lock);
    return go_on;
}

bool bell_wait_readers(int matched) {
    pthread_mutex_lock(&lock);
    while (readers < matched && !ended) pthread_cond_wait(&rung, &lock);
    bool go_on = !ended;
    pthread_mutex_unlock(&lock);
    return go_on;
}

bool bell_wait_line(void) {
    pthread_mutex_lock(&lock);
    while (!line && !ended) pthread_cond_wait(&rung, &lock);
    bool go_on = !ended;
    pthread_mutex_unlock(&lock);
    return go_on;
}

bool bell_wait_until(int64_t at_ns) {
    struct timespec at = {at_ns / 1000000000, at_ns % 1000000000};
    int waited = 0;
    pthread_mutex_lock(&lock);
    while (!ended && waited == 0) waited = pthread_cond_timedwait(&rung, &lock, &at);
    bool go_on = !ended;
    pthread_mutex_unlock(&lock);
    return go_on;
}

void bell_wait_end(void) {
    pthread_mutex_lock(&lock);
    while (!ended) pthread_cond_wait(&rung, &lock);
    pthread_mutex_unlock(&lock);
}

bool bell_ended(void) {
    pthread_mutex_lock(&lock);
    bool answer = ended;
    pthread_mutex_unlock(&lock);
    return answer;
}
