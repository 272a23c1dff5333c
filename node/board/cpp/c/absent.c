/* What a board has not: processes, signals, wide streams (files: files.c). Each says so as POSIX has it. */
#include "absent.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>

#undef errno
static __thread int last_error;
int *__errno_location(void) { return &last_error; }

long tokkyu_absent(void)
{
    last_error = ENOSYS;
    return -1;
}

int pipe(int ends[2]) { (void)ends; return (int)tokkyu_absent(); }
int getentropy(void *to, size_t len) { (void)to, (void)len; return (int)tokkyu_absent(); }
int gethostname(char *name, size_t len) { (void)name, (void)len; return (int)tokkyu_absent(); }
long syscall(long number, ...) { (void)number; return tokkyu_absent(); }
int getpid(void) { return 1; }
int kill(int process, int signal) { (void)process, (void)signal; return (int)tokkyu_absent(); }
int raise(int signal) { (void)signal; abort(); }
void (*signal(int number, void (*handler)(int)))(int) { (void)number, (void)handler; return NULL; }
int get_nprocs(void) { return 1; }

ssize_t write(int file, const void *bytes, size_t len);
ssize_t writev(int file, const struct iovec *parts, int count)
{
    ssize_t done = 0;
    for (int at = 0; at < count; ++at) {
        const ssize_t part = write(file, parts[at].iov_base, parts[at].iov_len);
        if (part < 0) return part;
        done += part;
    }
    return done;
}

/* Wide streams. */
int getwc(void *file) { (void)file; return -1; }
int putwc(int wide, void *file) { (void)wide, (void)file; return -1; }
int ungetwc(int wide, void *file) { (void)wide, (void)file; return -1; }

/* There are tasks: reference counts are atomic. */
char __libc_single_threaded = 0;

void *__dso_handle;

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    fprintf(stderr, "%s:%u: %s: %s does not hold\n", file, line, function, what);
    abort();
}

/* The environment is what the boot loader said. */
char *tokkyu_variable(const char *name);
char *getenv(const char *name) { return tokkyu_variable(name); }
