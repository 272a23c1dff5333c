/* Collects settings and notes during a run and writes them as one JSON object; see summary.h. */
#include "summary.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#define MOST_NOTES 16
#define NOTE_BYTES 200
/* With the count behind it. */
#define NOTE_TEXT_BYTES (NOTE_BYTES + 40)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char settings[1024];
static struct {
    char text[NOTE_BYTES];
    unsigned long times;
} notes[MOST_NOTES];
static unsigned notes_used;
static unsigned long notes_beyond;

void summary_setting(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    size_t used = strlen(settings);
    if (used > 0 && used + 1 < sizeof settings)
        settings[used++] = ' ';
    vsnprintf(settings + used, sizeof settings - used, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

static void count_note(const char *text)
{
    for (unsigned i = 0; i < notes_used; i++) {
        if (strcmp(notes[i].text, text) == 0) {
            notes[i].times++;
            return;
        }
    }
    if (notes_used == MOST_NOTES) {
        notes_beyond++;
        return;
    }
    snprintf(notes[notes_used].text, NOTE_BYTES, "%s", text);
    notes[notes_used++].times = 1;
}

void summary_note(const char *format, ...)
{
    char text[NOTE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    count_note(text);
    pthread_mutex_unlock(&lock);
}

static const char *text_of_note(unsigned i, char text[NOTE_TEXT_BYTES])
{
    snprintf(text, NOTE_TEXT_BYTES, notes[i].times == 1 ? "%s" : "%s (%lu times)", notes[i].text, notes[i].times);
    return text;
}

void summary_say_notes(const char *peer)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < notes_used; i++) {
        char text[NOTE_TEXT_BYTES];
        fprintf(stderr, "tokkyu-peer-%s: %s\n", peer, text_of_note(i, text));
    }
    pthread_mutex_unlock(&lock);
}

/* A library's message may hold anything; what is not plain ASCII is left out, so the file is valid JSON. */
static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fputc('\\', file);
        fputc(byte < 0x20 || byte > 0x7e ? '?' : byte, file);
    }
    fputc('"', file);
}

static void write_field(FILE *file, const char *name, const char *value)
{
    fprintf(file, "  \"%s\": ", name);
    write_string(file, value);
    fputs(",\n", file);
}

static void write_notes(FILE *file)
{
    fputs("  \"notes\": [", file);
    for (unsigned i = 0; i < notes_used; i++) {
        char text[NOTE_TEXT_BYTES];
        fputs(i == 0 ? "\n    " : ",\n    ", file);
        write_string(file, text_of_note(i, text));
    }
    if (notes_beyond > 0)
        fprintf(file, ",\n    \"other notes, for which there was no room: %lu\"", notes_beyond);
    fputs(notes_used == 0 ? "]\n" : "\n  ]\n", file);
}

void summary_write(FILE *file, const struct summary *summary)
{
    const char *const word[] = {"false", "true"};
    pthread_mutex_lock(&lock);
    fputs("{\n", file);
    write_field(file, "peer", summary->peer);
    write_field(file, "version", summary->version);
    write_field(file, "settings", settings);
    fprintf(file, "  \"sched_fifo\": %s,\n", word[summary->scheduling.fifo]);
    fprintf(file, "  \"mlockall\": %s,\n", word[summary->scheduling.memory_locked]);
    fprintf(file, "  \"met\": %s,\n", word[summary->met]);
    write_notes(file);
    fputs("}\n", file);
    pthread_mutex_unlock(&lock);
}
