/* Standard streams, of picolibc, whose header this file is compiled with: byte for byte to where lines are put together (src/terminal.rs). */
#include <stdio.h>

void tokkyu_put(unsigned char byte);
int tokkyu_get(void);

static int put(char byte, FILE *file)
{
    (void)file;
    tokkyu_put((unsigned char)byte);
    return (unsigned char)byte;
}

static int get(FILE *file)
{
    (void)file;
    return tokkyu_get();
}

static FILE console = FDEV_SETUP_STREAM(put, get, NULL, _FDEV_SETUP_RW);

FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;
