/* What a board has not: files, processes, signals, an environment. Each says so as POSIX has it. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#undef errno
static __thread int last_error;
int *__errno_location(void) { return &last_error; }

static long absent(void)
{
    last_error = ENOSYS;
    return -1;
}

int open(const char *name, int flags, ...) { (void)name, (void)flags; return (int)absent(); }
int close(int file) { (void)file; return (int)absent(); }
ssize_t read(int file, void *to, size_t len) { (void)file, (void)to, (void)len; return absent(); }
off_t lseek(int file, off_t offset, int from) { (void)file, (void)offset, (void)from; return absent(); }
long lseek64(int file, long offset, int from) { (void)file, (void)offset, (void)from; return absent(); }
struct stat64;
int fstat64(int file, struct stat64 *to) { (void)file, (void)to; return (int)absent(); }
int ioctl(int file, unsigned long request, ...) { (void)file, (void)request; return (int)absent(); }
int poll(void *files, unsigned long count, int timeout) { (void)files, (void)count, (void)timeout; return (int)absent(); }
int pipe(int ends[2]) { (void)ends; return (int)absent(); }
void *fopen64(const char *name, const char *mode) { (void)name, (void)mode; absent(); return NULL; }
int fseeko64(void *file, long offset, int from) { (void)file, (void)offset, (void)from; return (int)absent(); }
long ftello64(void *file) { (void)file; return absent(); }
int getentropy(void *to, size_t len) { (void)to, (void)len; return (int)absent(); }
int gethostname(char *name, size_t len) { (void)name, (void)len; return (int)absent(); }
long syscall(long number, ...) { (void)number; return absent(); }
int getpid(void) { return 1; }
int kill(int process, int signal) { (void)process, (void)signal; return (int)absent(); }
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
