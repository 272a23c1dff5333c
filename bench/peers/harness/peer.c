/*
 * The life of a peer's program: command line, files, library, ticks, files, end.
 *
 *   start --> open --> first tick --> ... --> last tick + drain (+ 500 ms) --> write --> _exit
 *                                       |                                        ^
 *                                       +-- all arrived; SIGTERM or SIGINT ------+
 *
 * The main thread waits and writes; camera threads (camera.c) and the library's threads do the rest. Nothing
 * waits longer than `end_ns`: then the program ends with _exit, as a library may still be blocked (PEER-20).
 *
 * Exit codes: 0 the run was made, 1 it could not be made, 2 usage, 130 interrupted.
 */
#include "peer.h"

#include <stdio.h>
#include <unistd.h>

#include "camera.h"
#include "interruption.h"
#include "ledger.h"
#include "records.h"
#include "sample.h"

enum exit_code { EXIT_RUN_MADE = 0, EXIT_NOT_MADE = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

static struct options options;
static struct ledger *ledger;

void sample_arrived(unsigned camera, const unsigned char *bytes, size_t size, uint64_t at_ns)
{
    if (size != options.size) {
        summary_note("sample of a wrong size");
        return;
    }
    const struct sample_head head = sample_head_of(bytes);
    if (head.camera != camera || head.sequence >= options.samples)
        summary_note("sample of a wrong camera or number");
    else if (head.capture_ns != tick_ns(&options, head.sequence))
        summary_note("sample with a wrong capture time");
    else if (!sample_ends_well(bytes, size))
        summary_note("sample with a wrong last byte");
    else if (!ledger_arrived(ledger, camera, head.sequence, at_ns))
        summary_note("sample that arrived twice");
    else if (ledger_is_complete(ledger))
        tell_all_arrived();
}

static bool start_cameras(const struct peer *peer)
{
    for (unsigned camera = 1; options.role == ROLE_SEND && camera <= options.images; camera++)
        if (!camera_start(peer, &options, ledger, camera))
            return false;
    return true;
}

/*
 * Waits for the first tick, looks whether the ends have met (PEER-14), and waits for the end. Ends that have
 * not met even then are no run, which the exit code says.
 */
static enum exit_code run(const struct peer *peer, struct summary *summary)
{
    if (!peer->open(&options) || !start_cameras(peer))
        return EXIT_NOT_MADE;
    enum wait_end end = wait_until_ns(options.start_at_ns);
    summary->met = peer->met();
    if (end == WAIT_TIME_IS_UP)
        end = wait_until_ns(end_ns(&options));
    if (end == WAIT_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (end == WAIT_ALL_ARRIVED || summary->met || peer->met())
        return EXIT_RUN_MADE;
    summary_note("the other end (--other %s) was never met: start it, with the same --mode and --images",
                 options.other);
    return EXIT_NOT_MADE;
}

static void finish(struct summary *summary, FILE *records, FILE *summary_file, enum exit_code code)
{
    bool written = records_write(records, &options, ledger, now_ns());
    summary_write(summary_file, summary);
    written = close_file(summary_file, "--summary", options.summary) && written;
    if (code == EXIT_NOT_MADE)
        summary_say_notes(summary->peer);
    _exit(written || code != EXIT_RUN_MADE ? (int)code : (int)EXIT_NOT_MADE);
}

/*
 * The second file is refused: the first, which nothing was written to, must not stay behind and be refused
 * next time.
 */
static int give_back(FILE *records)
{
    fclose(records);
    unlink(options.records);
    return EXIT_NOT_MADE;
}

int peer_main(const struct peer *peer, int argc, char **argv)
{
    if (!options_read(&options, peer->name, peer->modes, argc, argv))
        return EXIT_USAGE;
    interruption_prepare();
    struct summary summary = {peer->name, peer->version(), scheduling_ask(options.priority), false};
    ledger = ledger_new(options.images, options.samples);
    if (ledger == NULL) {
        fprintf(stderr, "tokkyu-peer-%s: no memory for the ledger: lower --images or --samples\n", peer->name);
        return EXIT_NOT_MADE;
    }
    FILE *records = new_file("--records", options.records);
    if (records == NULL)
        return EXIT_NOT_MADE;
    FILE *summary_file = new_file("--summary", options.summary);
    if (summary_file == NULL)
        return give_back(records);
    finish(&summary, records, summary_file, run(peer, &summary));
    return EXIT_NOT_MADE; /* not reached: finish ends the process */
}
