/* A board has no files and no folders: each call says so (ENOSYS). All that the C++ library's streams and file system ask for. */
#include "absent.h"
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

int open(const char *name, int flags, ...) { (void)name, (void)flags; return (int)tokkyu_absent(); }
int close(int file) { (void)file; return (int)tokkyu_absent(); }
ssize_t read(int file, void *to, size_t len) { (void)file, (void)to, (void)len; return tokkyu_absent(); }
off_t lseek(int file, off_t offset, int from) { (void)file, (void)offset, (void)from; return tokkyu_absent(); }
long lseek64(int file, long offset, int from) { (void)file, (void)offset, (void)from; return tokkyu_absent(); }
struct stat64;
int fstat64(int file, struct stat64 *to) { (void)file, (void)to; return (int)tokkyu_absent(); }
int ioctl(int file, unsigned long request, ...) { (void)file, (void)request; return (int)tokkyu_absent(); }
int poll(void *files, unsigned long count, int timeout) { (void)files, (void)count, (void)timeout; return (int)tokkyu_absent(); }
void *fopen64(const char *name, const char *mode) { (void)name, (void)mode; tokkyu_absent(); return NULL; }
int fseeko64(void *file, long offset, int from) { (void)file, (void)offset, (void)from; return (int)tokkyu_absent(); }
long ftello64(void *file) { (void)file; return tokkyu_absent(); }

int openat(int folder, const char *name, int flags, ...) { (void)folder, (void)name, (void)flags; return (int)tokkyu_absent(); }
int unlink(const char *name) { (void)name; return (int)tokkyu_absent(); }
int unlinkat(int folder, const char *name, int flags) { (void)folder, (void)name, (void)flags; return (int)tokkyu_absent(); }
int remove(const char *name) { (void)name; return (int)tokkyu_absent(); }
int rename(const char *from, const char *to) { (void)from, (void)to; return (int)tokkyu_absent(); }
int link(const char *from, const char *to) { (void)from, (void)to; return (int)tokkyu_absent(); }
int symlink(const char *from, const char *to) { (void)from, (void)to; return (int)tokkyu_absent(); }
ssize_t readlink(const char *name, char *to, size_t len) { (void)name, (void)to, (void)len; return tokkyu_absent(); }
int truncate(const char *name, off_t len) { (void)name, (void)len; return (int)tokkyu_absent(); }
long sendfile(int to, int from, off_t *offset, size_t len) { (void)to, (void)from, (void)offset, (void)len; return tokkyu_absent(); }
int stat(const char *name, struct stat *to) { (void)name, (void)to; return (int)tokkyu_absent(); }
int lstat(const char *name, struct stat *to) { (void)name, (void)to; return (int)tokkyu_absent(); }
int fstat(int file, struct stat *to) { (void)file, (void)to; return (int)tokkyu_absent(); }
int statvfs(const char *name, void *to) { (void)name, (void)to; return (int)tokkyu_absent(); }
int fchmod(int file, mode_t mode) { (void)file, (void)mode; return (int)tokkyu_absent(); }
int fchmodat(int folder, const char *name, mode_t mode, int flags)
{
    (void)folder, (void)name, (void)mode, (void)flags;
    return (int)tokkyu_absent();
}
int utimensat(int folder, const char *name, const struct timespec times[2], int flags)
{
    (void)folder, (void)name, (void)times, (void)flags;
    return (int)tokkyu_absent();
}

int mkdir(const char *name, mode_t mode) { (void)name, (void)mode; return (int)tokkyu_absent(); }
int chdir(const char *name) { (void)name; return (int)tokkyu_absent(); }
char *getcwd(char *to, size_t len) { (void)to, (void)len; tokkyu_absent(); return NULL; }
char *realpath(const char *name, char *to) { (void)name, (void)to; tokkyu_absent(); return NULL; }
void *fdopendir(int file) { (void)file; tokkyu_absent(); return NULL; }
void *readdir(void *folder) { (void)folder; tokkyu_absent(); return NULL; }
int dirfd(void *folder) { (void)folder; return (int)tokkyu_absent(); }
int closedir(void *folder) { (void)folder; return (int)tokkyu_absent(); }
