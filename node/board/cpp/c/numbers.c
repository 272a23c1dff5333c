/* Numbers in words, in the one locale that there is. Here, as Rust on a board has no floating-point registers to pass them in. */
#include <stdlib.h>

double __strtod_l(const char *text, char **end, void *locale) { (void)locale; return strtod(text, end); }
float __strtof_l(const char *text, char **end, void *locale) { (void)locale; return strtof(text, end); }
long double strtold_l(const char *text, char **end, void *locale) { (void)locale; return strtold(text, end); }
