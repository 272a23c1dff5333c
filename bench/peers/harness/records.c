/* Writes the records file at the end of a run; see records.h. Nothing is written while the run goes on. */
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ticks.h"

/* A file with contents to keep: MEA-16 lets pipes and devices be opened again, as they keep nothing. */
static bool keeps_contents(const char *name)
{
    struct stat status;
    return stat(name, &status) != 0 || S_ISREG(status.st_mode);
}

FILE *new_file(const char *flag, const char *name)
{
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0 && errno == EEXIST && !keeps_contents(name))
        descriptor = open(name, O_WRONLY | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) {
        const char *remedy = errno == EEXIST ? "it is left as it is: give another name, or move it away"
                                             : "give a file in a folder that can be written to";
        fprintf(stderr, "%s %s: %s; %s\n", flag, name, strerror(errno), remedy);
    }
    return file;
}

bool close_file(FILE *file, const char *flag, const char *name)
{
    const bool written = ferror(file) == 0;
    if (fclose(file) == 0 && written)
        return true;
    fprintf(stderr, "%s %s: not all could be written: %s; make room on the disk\n", flag, name, strerror(errno));
    return false;
}

static void write_line(FILE *file, const struct options *options, const struct ledger *ledger, unsigned camera,
                       unsigned sequence)
{
    const uint64_t capture_ns = tick_ns(options, sequence);
    if (options->mode->stream != NULL)
        fputs(options->mode->stream, file);
    else
        fprintf(file, "camera/%u", camera);
    fprintf(file, ",%u,%" PRIu64 ",", sequence, capture_ns);
    if (options->role == ROLE_SEND)
        fprintf(file, ",%s,0\n", ledger_was_given(ledger, camera, sequence) ? "lost" : "dropped");
    else
        fprintf(file, "%" PRIu64 ",delivered,0\n", ledger_arrival_ns(ledger, camera, sequence));
}

/* A sender that is ended early has offered nothing of the ticks that were still to come. */
static bool has_line(const struct options *options, const struct ledger *ledger, unsigned camera, unsigned sequence,
                     uint64_t until_ns)
{
    if (options->role == ROLE_SEND)
        return tick_ns(options, sequence) <= until_ns;
    return ledger_arrival_ns(ledger, camera, sequence) != 0;
}

bool records_write(FILE *file, const struct options *options, const struct ledger *ledger, uint64_t until_ns)
{
    fputs("# tokkyu-records 1\nstream,sequence,capture_ns,arrival_ns,outcome,warm_up\n", file);
    for (unsigned sequence = 0; sequence < options->samples; sequence++)
        for (unsigned camera = 1; camera <= options->images; camera++)
            if (has_line(options, ledger, camera, sequence, until_ns))
                write_line(file, options, ledger, camera, sequence);
    return close_file(file, "--records", options->records);
}
