/* The one locale that there is, "C": characters are bytes, and those of ASCII are what they are there. Layout and names are glibc's, for which the
   GNU C++ library of the cross compiler is built. */
#include <stddef.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* The bits of <ctype.h> in glibc, little-endian. */
enum {
    UPPER = 0x100, LOWER = 0x200, ALPHA = 0x400, DIGIT = 0x800, XDIGIT = 0x1000, SPACE = 0x2000, PRINT = 0x4000, GRAPH = 0x8000,
    BLANK = 0x1, CONTROL = 0x2, PUNCT = 0x4, ALNUM = 0x8
};

#define U (UPPER | ALPHA | PRINT | GRAPH | ALNUM)
#define L (LOWER | ALPHA | PRINT | GRAPH | ALNUM)
#define D (DIGIT | XDIGIT | PRINT | GRAPH | ALNUM)
#define P (PRINT | GRAPH | PUNCT)
#define W (SPACE | CONTROL)

/* From -128 on: EOF is one of them, and so is what a signed character may be. */
static const unsigned short kinds[384] = {
    [128 + 0 ... 128 + 8] = CONTROL, [128 + 9] = W | BLANK, [128 + 10 ... 128 + 13] = W, [128 + 14 ... 128 + 31] = CONTROL,
    [128 + ' '] = SPACE | BLANK | PRINT, [128 + '!' ... 128 + '/'] = P, [128 + '0' ... 128 + '9'] = D, [128 + ':' ... 128 + '@'] = P,
    [128 + 'A' ... 128 + 'F'] = U | XDIGIT, [128 + 'G' ... 128 + 'Z'] = U, [128 + '[' ... 128 + '`'] = P,
    [128 + 'a' ... 128 + 'f'] = L | XDIGIT, [128 + 'g' ... 128 + 'z'] = L, [128 + '{' ... 128 + '~'] = P, [128 + 127] = CONTROL,
};
static int lower[384], upper[384];

static const unsigned short *const kinds_at_zero = kinds + 128;
static const int *const lower_at_zero = lower + 128, *const upper_at_zero = upper + 128;

struct locale {
    void *data[13];
    const unsigned short *kinds;
    const int *lower, *upper;
    const char *names[13];
};

static struct locale c_locale = {
    .kinds = kinds + 128, .lower = lower + 128, .upper = upper + 128,
    .names = {"C", "C", "C", "C", "C", "C", "C", "C", "C", "C", "C", "C", "C"},
};

/* Before any constructor of C++ that asks. */
__attribute__((constructor(101))) static void make_cases(void)
{
    for (int at = -128; at < 256; ++at) {
        lower[128 + at] = at >= 'A' && at <= 'Z' ? at + 32 : at;
        upper[128 + at] = at >= 'a' && at <= 'z' ? at - 32 : at;
    }
}

const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&kinds_at_zero; }
const int **__ctype_tolower_loc(void) { return (const int **)&lower_at_zero; }
const int **__ctype_toupper_loc(void) { return (const int **)&upper_at_zero; }
size_t __ctype_get_mb_cur_max(void) { return 1; }

struct locale *__newlocale(int mask, const char *name, struct locale *base)
{
    (void)mask, (void)base;
    return !*name || !strcmp(name, "C") || !strcmp(name, "POSIX") ? &c_locale : NULL;
}
struct locale *__duplocale(struct locale *from) { return from; }
struct locale *__uselocale(struct locale *to) { (void)to; return &c_locale; }
void __freelocale(struct locale *gone) { (void)gone; }
char *setlocale(int category, const char *name)
{
    (void)category;
    return !name || !*name || !strcmp(name, "C") ? "C" : NULL;
}
char *__nl_langinfo_l(int item, struct locale *of) { (void)item, (void)of; return ""; }

int __strcoll_l(const char *one, const char *other, struct locale *of) { (void)of; return strcmp(one, other); }
size_t __strxfrm_l(char *to, const char *from, size_t room, struct locale *of)
{
    (void)of;
    if (room) strncpy(to, from, room);
    return strlen(from);
}
size_t __strftime_l(char *to, size_t room, const char *form, const void *time, struct locale *of)
{
    (void)form, (void)time, (void)of;
    if (room) *to = 0;
    return 0;
}

/* Wide characters: of ASCII alone. */
wint_t btowc(int byte) { return byte >= 0 && byte < 128 ? (wint_t)byte : WEOF; }
int wctob(wint_t wide) { return wide < 128 ? (int)wide : -1; }
size_t mbrtowc(wchar_t *to, const char *from, size_t len, mbstate_t *state)
{
    (void)state;
    if (!from) return 0;
    if (!len) return (size_t)-2;
    if ((unsigned char)*from > 127) return (size_t)-1;
    if (to) *to = *from;
    return *from != 0;
}
size_t wcrtomb(char *to, wchar_t from, mbstate_t *state)
{
    (void)state;
    if (!to) return 1;
    if ((unsigned)from > 127) return (size_t)-1;
    *to = (char)from;
    return 1;
}
size_t mbsnrtowcs(wchar_t *to, const char **from, size_t len, size_t room, mbstate_t *state)
{
    size_t done = 0;
    for (; (!to || done < room) && done < len; ++done) {
        wchar_t wide = 0;
        if (mbrtowc(&wide, *from + done, 1, state) == (size_t)-1) return (size_t)-1;
        if (to) to[done] = wide;
        if (!wide) {
            if (to) *from = NULL;
            return done;
        }
    }
    if (to) *from += done;
    return done;
}
size_t mbsrtowcs(wchar_t *to, const char **from, size_t room, mbstate_t *state)
{
    return mbsnrtowcs(to, from, strlen(*from) + 1, room, state);
}
size_t wcsnrtombs(char *to, const wchar_t **from, size_t len, size_t room, mbstate_t *state)
{
    size_t done = 0;
    for (; (!to || done < room) && done < len; ++done) {
        char byte;
        if (wcrtomb(&byte, (*from)[done], state) == (size_t)-1) return (size_t)-1;
        if (to) to[done] = byte;
        if (!byte) {
            if (to) *from = NULL;
            return done;
        }
    }
    if (to) *from += done;
    return done;
}

/* A kind of wide characters is the place of its name here, from 1. */
static const char *const names[] = {"upper", "lower", "alpha", "digit", "xdigit", "space", "print", "graph", "blank", "cntrl", "punct", "alnum"};
static const unsigned short bits[] = {UPPER, LOWER, ALPHA, DIGIT, XDIGIT, SPACE, PRINT, GRAPH, BLANK, CONTROL, PUNCT, ALNUM};
wctype_t __wctype_l(const char *name, struct locale *of)
{
    (void)of;
    for (unsigned at = 0; at < sizeof bits / sizeof *bits; ++at)
        if (!strcmp(name, names[at])) return at + 1;
    return 0;
}
int __iswctype_l(wint_t wide, wctype_t kind, struct locale *of)
{
    (void)of;
    return wide < 128 && kind && kind <= sizeof bits / sizeof *bits && (kinds_at_zero[wide] & bits[kind - 1]);
}
wint_t __towlower_l(wint_t wide, struct locale *of) { (void)of; return wide < 128 ? (wint_t)lower_at_zero[wide] : wide; }
wint_t __towupper_l(wint_t wide, struct locale *of) { (void)of; return wide < 128 ? (wint_t)upper_at_zero[wide] : wide; }
int __wcscoll_l(const wchar_t *one, const wchar_t *other, struct locale *of) { (void)of; return wcscmp(one, other); }
size_t __wcsxfrm_l(wchar_t *to, const wchar_t *from, size_t room, struct locale *of)
{
    (void)of;
    if (room) wcsncpy(to, from, room);
    return wcslen(from);
}
size_t __wcsftime_l(wchar_t *to, size_t room, const wchar_t *form, const void *time, struct locale *of)
{
    (void)form, (void)time, (void)of;
    if (room) *to = 0;
    return 0;
}

/* Messages are as the program has them. */
char *gettext(const char *text) { return (char *)text; }
char *dgettext(const char *domain, const char *text) { (void)domain; return (char *)text; }
char *bindtextdomain(const char *domain, const char *folder) { (void)domain; return (char *)folder; }
char *bind_textdomain_codeset(const char *domain, const char *codeset) { (void)domain; return (char *)codeset; }

/* No other codes. */
void *iconv_open(const char *to, const char *from) { (void)to, (void)from; return (void *)-1; }
size_t iconv(void *codes, char **from, size_t *from_len, char **to, size_t *to_len)
{
    (void)codes, (void)from, (void)from_len, (void)to, (void)to_len;
    return (size_t)-1;
}
int iconv_close(void *codes) { (void)codes; return -1; }
